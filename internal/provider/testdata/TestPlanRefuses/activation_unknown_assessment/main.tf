resource "assess_skills_test_activation" "a" {
  assessment_id = "asm-nowhere"
  test_id       = "skt-go"
}
