# A skills assessment. Referring to an activation makes it wait until the test is
# enabled; tests that are enabled already can be named by their ids.

resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

resource "assess_position_assessment" "skills" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"

  tests { ids = [assess_skills_test_activation.go.test_id, "skt-sql"] }
}
