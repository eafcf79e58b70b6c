# The enabled tests of one skills assessment.
list "assess_skills_test_activation" "enabled" {
  provider = assess
  limit    = 1000

  config {
    assessment_id = "asm-workbench"
  }
}
