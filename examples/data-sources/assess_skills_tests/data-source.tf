data "assess_assessment" "skills" {
  code = "WBN"
}

data "assess_skills_tests" "enabled" {
  assessment_id = data.assess_assessment.skills.id
  active        = true # false: only disabled tests. Without this line: all tests
}

output "software" {
  value = [for t in data.assess_skills_tests.enabled.tests : t.title if t.category == "Software"]
}
