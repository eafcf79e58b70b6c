# Enables skills tests by their titles. If a title does not exist, the error shows
# similar titles.

data "assess_assessment" "skills" {
  code = "WBN"
}

data "assess_skills_test" "wanted" {
  for_each      = toset(["Go Programming", "Rust Programming"])
  assessment_id = data.assess_assessment.skills.id
  title         = each.key
}

resource "assess_skills_test_activation" "wanted" {
  for_each      = data.assess_skills_test.wanted
  assessment_id = each.value.assessment_id
  test_id       = each.value.id
}
