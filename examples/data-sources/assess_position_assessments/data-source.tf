data "assess_position_assessments" "backend" {
  position_id = "pos-backend-london"
}

# A warning in every plan while the position has something that this
# configuration has not attached.
check "nothing_by_hand" {
  assert {
    condition     = length(data.assess_position_assessments.backend.ids) == 0
    error_message = "Attached by hand: ${join(", ", data.assess_position_assessments.backend.ids)}."
  }
}
