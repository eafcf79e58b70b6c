data "assess_benchmarks" "nowhere" {
  assessment_id = "asm-nowhere"
}

data "assess_packages" "nowhere" {
  assessment_id = "asm-nowhere"
}

data "assess_profiles" "nowhere" {
  assessment_id = "asm-nowhere"
}

data "assess_skills_tests" "nowhere" {
  assessment_id = "asm-nowhere"
}

data "assess_position_assessment" "nowhere" {
  position_id = "pos-nowhere"
  id          = "pas-0001"
}

data "assess_position_assessments" "nowhere" {
  position_id = "pos-nowhere"
}

data "assess_position_results" "nowhere" {
  position_id = "pos-nowhere"
}
