data "assess_skills_tests" "enabled" {
  assessment_id = "asm-workbench"
  active        = true
}
