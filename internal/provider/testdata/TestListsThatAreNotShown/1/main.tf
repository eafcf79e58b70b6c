data "assess_benchmarks" "any" {
  assessment_id = "asm-lumen"
}

data "assess_packages" "any" {
  assessment_id = "asm-quartet"
}

data "assess_profiles" "any" {
  assessment_id = "asm-northlight"
}

data "assess_skills_tests" "any" {
  assessment_id = "asm-workbench"
}
