data "assess_skills_tests" "all" {
  assessment_id = "asm-workbench"
}

data "assess_skills_tests" "enabled" {
  assessment_id = "asm-workbench"
  active        = true
}

data "assess_skills_tests" "disabled" {
  assessment_id = "asm-workbench"
  active        = false
}

data "assess_skills_tests" "elsewhere" {
  assessment_id = "asm-lumen"
}
