data "assess_assessment" "skills" {
  code = "WBN"
}

data "assess_skills_test" "go" {
  assessment_id = data.assess_assessment.skills.id
  title         = "Go Programming" # or id
}

resource "assess_skills_test_activation" "go" {
  assessment_id = data.assess_assessment.skills.id
  test_id       = data.assess_skills_test.go.id
}
