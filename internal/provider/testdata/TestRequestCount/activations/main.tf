resource "assess_skills_test_activation" "all" {
  count         = 300
  assessment_id = "asm-many"
  test_id       = format("skt-%04d", count.index)
}
