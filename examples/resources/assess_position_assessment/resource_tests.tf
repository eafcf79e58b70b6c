# A skills assessment. Refer to the activation of a test, so that the test is
# enabled first. If a test is already enabled, you can use its ID.

resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

resource "assess_position_assessment" "skills" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"

  tests { ids = [assess_skills_test_activation.go.test_id, "skt-sql"] }
}
