resource "assess_skills_test_activation" "odd" {
  assessment_id = "asm/50% more"
  test_id       = "skt a/b?#"
}
