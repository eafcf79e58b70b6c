data "assess_positions" "all" {}

data "assess_assessments" "all" {}

resource "assess_position_assessment" "values" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"
}

data "assess_position_assessment" "values" {
  position_id = assess_position_assessment.values.position_id
  id          = assess_position_assessment.values.id
}

ephemeral "assess_profile_link" "values" {
  position_id = assess_position_assessment.values.position_id
  id          = assess_position_assessment.values.id
}

ephemeral "assess_position_results" "graduates" {
  position_id = "pos-graduates-2026"
}

output "status" {
  value = assess_position_assessment.values.profile_status
}
