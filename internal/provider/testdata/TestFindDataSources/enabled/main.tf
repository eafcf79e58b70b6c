data "assess_skills_test" "by_id" {
  assessment_id = "asm-workbench"
  id            = "skt-sql"
}
