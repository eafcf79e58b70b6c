# All four kinds of blocks, without IDs.

data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_assessment" "by_code" {
  for_each = toset(["QRT", "NLV", "WBN"])
  code     = each.key
}

data "assess_package" "by_name" {
  for_each      = toset(["Problem solving", "Numerical reasoning", "Verbal knowledge"])
  assessment_id = data.assess_assessment.by_code["QRT"].id
  name          = each.key
}

data "assess_benchmark" "engineers" {
  assessment_id = data.assess_assessment.by_code["QRT"].id
  name          = "Engineers"
  locale        = data.assess_position.backend.locale
}

data "assess_assessment_options" "values" {
  assessment_id = data.assess_assessment.by_code["NLV"].id
}

data "assess_skills_test" "go" {
  assessment_id = data.assess_assessment.by_code["WBN"].id
  title         = "Go Programming"
}

data "assess_skills_tests" "all" {
  assessment_id = data.assess_assessment.by_code["WBN"].id
}

resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["QRT"].id
  packages { ids = values(data.assess_package.by_name)[*].id }
  benchmark { id = data.assess_benchmark.engineers.id }
}

resource "assess_position_assessment" "values" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["NLV"].id
  profile { id = data.assess_assessment_options.values.profiles["Curious builders"] }
}

resource "assess_skills_test_activation" "go" {
  assessment_id = data.assess_assessment.by_code["WBN"].id
  test_id       = data.assess_skills_test.go.id
}

resource "assess_position_assessment" "skills" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.by_code["WBN"].id
  tests { ids = [assess_skills_test_activation.go.test_id, data.assess_skills_tests.all.ids_by_title["SQL Queries"]] }
}
