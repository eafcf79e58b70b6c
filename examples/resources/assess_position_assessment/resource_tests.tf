# A skills assessment with two tests: this configuration enables the first one, and the second one is already enabled.

data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_assessment" "skills" {
  code = "WBN"
}

data "assess_skills_test" "by_title" {
  for_each      = toset(["Go Programming", "SQL Queries"])
  assessment_id = data.assess_assessment.skills.id
  title         = each.key
}

resource "assess_skills_test_activation" "go" {
  assessment_id = data.assess_assessment.skills.id
  test_id       = data.assess_skills_test.by_title["Go Programming"].id
}

resource "assess_position_assessment" "skills" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.skills.id

  tests { ids = [assess_skills_test_activation.go.test_id, data.assess_skills_test.by_title["SQL Queries"].id] }
}
