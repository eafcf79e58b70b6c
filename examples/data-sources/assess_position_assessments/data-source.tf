data "assess_position_assessments" "backend" {
  position_id = "pos-backend-london"
}

# This configuration attaches no assessments. The check warns if the position has any.
check "nothing_by_hand" {
  assert {
    condition     = length(data.assess_position_assessments.backend.ids) == 0
    error_message = "Attached by hand: ${join(", ", data.assess_position_assessments.backend.ids)}."
  }
}
