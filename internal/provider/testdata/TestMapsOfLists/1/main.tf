data "assess_assessments" "all" {}

data "assess_positions" "all" {}

data "assess_packages" "games" {
  assessment_id = "asm-quartet"
}

data "assess_benchmarks" "all" {
  assessment_id = "asm-tally"
}

data "assess_benchmarks" "french" {
  assessment_id = "asm-tally"
  locale        = "fr-FR"
}

data "assess_profiles" "values" {
  assessment_id = "asm-northlight"
}

data "assess_skills_tests" "disabled" {
  assessment_id = "asm-workbench"
  active        = false
}
