resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"
  tests { ids = ["skt-go"] }
}

# The activation is planned later. The literal ID above does not wait for it.
resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
  depends_on    = [assess_position_assessment.a]
}
