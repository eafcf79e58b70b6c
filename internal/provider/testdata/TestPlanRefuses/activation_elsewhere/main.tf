resource "assess_skills_test_activation" "a" {
  assessment_id = "asm-lumen"
  test_id       = "skt-go"
}
