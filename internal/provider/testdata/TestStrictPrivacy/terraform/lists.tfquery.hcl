provider "assess" {}

list "assess_position_assessment" "graduates" {
  provider         = assess
  include_resource = true
  config {
    position_id = "pos-graduates-2026"
  }
}

list "assess_skills_test_activation" "enabled" {
  provider         = assess
  include_resource = true
  config {
    assessment_id = "asm-workbench"
  }
}
