# Most assessments require no configuration.

data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_assessment" "reliability" {
  code = "KST"
}

resource "assess_position_assessment" "reliability" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.reliability.id
}
