# The tests of a skills assessment that are enabled for the organization.
list "assess_skills_test_activation" "enabled" {
  provider = assess
  limit    = 1000

  config {
    assessment_id = "asm-workbench"
  }
}
