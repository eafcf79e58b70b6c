data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_position_assessments" "backend" {
  position_id = data.assess_position.backend.id
}

# This configuration attaches no assessments, so the check warns if the position has any.
check "attached_elsewhere" {
  assert {
    condition = length(data.assess_position_assessments.backend.ids) == 0
    error_message = join("\n", concat(["The position has assessments that this configuration does not manage:"], [
      for a in data.assess_position_assessments.backend.assessments :
      "  ${a.assessment_id} (to import: ${a.position_id}/${a.id})"
    ]))
  }
}
