data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_position_assessments" "backend" {
  position_id = data.assess_position.backend.id
}

# This configuration attaches no assessments. The check warns if the position has any.
check "attached_elsewhere" {
  assert {
    condition     = length(data.assess_position_assessments.backend.ids) == 0
    error_message = "Attached by hand: ${join(", ", data.assess_position_assessments.backend.ids)}."
  }
}
