# The tests of a skills assessment that are enabled for the organisation.
list "assess_skills_test_activation" "enabled" {
  provider = assess

  config {
    assessment_id = "asm-workbench"
  }
}
