resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
}

resource "assess_skills_test_activation" "a" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}
