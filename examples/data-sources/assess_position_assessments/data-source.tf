data "assess_position_assessments" "backend" {
  position_id = "pos-backend-london"
}

# Warns if the position has assessments. This configuration attaches none.
check "nothing_by_hand" {
  assert {
    condition     = length(data.assess_position_assessments.backend.ids) == 0
    error_message = "Attached by hand: ${join(", ", data.assess_position_assessments.backend.ids)}."
  }
}
