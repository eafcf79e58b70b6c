# By the titles that people know. A title that no test has is an error that names
# the missing key.

locals {
  wanted = toset(["Go Programming", "Rust Programming"])
}

data "assess_skills_tests" "all" {
  assessment_id = "asm-workbench"
}

resource "assess_skills_test_activation" "wanted" {
  for_each = local.wanted

  assessment_id = data.assess_skills_tests.all.assessment_id
  test_id       = { for test in data.assess_skills_tests.all.tests : test.title => test.id }[each.key]
}
