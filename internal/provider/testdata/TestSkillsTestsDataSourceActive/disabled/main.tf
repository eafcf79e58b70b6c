data "assess_skills_tests" "disabled" {
  assessment_id = "asm-workbench"
  active        = false
}
