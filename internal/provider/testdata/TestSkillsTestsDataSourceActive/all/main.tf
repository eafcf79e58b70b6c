data "assess_skills_tests" "both" {
  count         = 3
  assessment_id = "asm-workbench"
}

data "assess_skills_tests" "enabled" {
  count         = 3
  assessment_id = "asm-workbench"
  active        = true
}

data "assess_skills_tests" "disabled" {
  count         = 3
  assessment_id = "asm-workbench"
  active        = false
}
