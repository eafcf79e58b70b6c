# Most assessments require no configuration.

resource "assess_position_assessment" "reliability" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-keystone"
}
