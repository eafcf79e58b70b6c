data "assess_skills_tests" "both" {
  assessment_id = "asm-workbench"
}
