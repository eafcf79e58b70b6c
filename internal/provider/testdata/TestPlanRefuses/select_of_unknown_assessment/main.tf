resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "QRT"
  packages { select = "all" }
}
