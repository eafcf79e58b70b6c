resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"
  tests { ids = ["skt-go"] }
}

# It is planned later, so nothing says that the literal id above would wait.
resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
  depends_on    = [assess_position_assessment.a]
}
