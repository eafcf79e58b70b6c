resource "assess_skills_test_activation" "a" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}
