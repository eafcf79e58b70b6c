resource "assess_skills_test_activation" "sql" {
  assessment_id = "asm-workbench"
  test_id       = "skt-sql"
}
