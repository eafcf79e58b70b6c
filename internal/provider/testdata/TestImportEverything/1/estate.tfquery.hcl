list "assess_position_assessment" "all" {
  provider = assess
  limit    = 1000
}

list "assess_skills_test_activation" "workbench" {
  provider = assess
  limit    = 1000

  config {
    assessment_id = "asm-workbench"
  }
}
