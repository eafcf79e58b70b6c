provider "assess" {}

data "assess_position" "lyon" {
  title = "Chargé de clientèle, Lyon"
}

data "assess_assessment" "of" {
  for_each = toset(["QRT", "NLV", "WBN", "LMN", "TRN"])
  code     = each.key
}

data "assess_benchmarks" "ability" {
  assessment_id = data.assess_assessment.of["LMN"].id
  locale        = data.assess_position.lyon.locale
}

data "assess_profiles" "values" {
  assessment_id = data.assess_assessment.of["NLV"].id
}

data "assess_skills_tests" "all" {
  assessment_id = data.assess_assessment.of["WBN"].id
}

locals {
  tests = { for t in data.assess_skills_tests.all.tests : t.title => t.id }
}

resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.lyon.id
  assessment_id = data.assess_assessment.of["QRT"].id
  packages { select = "mandatory" }
}

resource "assess_position_assessment" "ability" {
  position_id   = data.assess_position.lyon.id
  assessment_id = data.assess_assessment.of["LMN"].id
  benchmark { id = one([for b in data.assess_benchmarks.ability.benchmarks : b.id if b.name == "Managers"]) }
}

resource "assess_position_assessment" "values" {
  position_id   = data.assess_position.lyon.id
  assessment_id = data.assess_assessment.of["NLV"].id
  profile { id = one([for p in data.assess_profiles.values.profiles : p.id if p.name == "Customer first"]) }
}

resource "assess_position_assessment" "supervised" {
  position_id   = data.assess_position.lyon.id
  assessment_id = data.assess_assessment.of["TRN"].id
}

resource "assess_skills_test_activation" "go" {
  assessment_id = data.assess_assessment.of["WBN"].id
  test_id       = local.tests["Go Programming"]
}

resource "assess_position_assessment" "skills" {
  position_id   = data.assess_position.lyon.id
  assessment_id = data.assess_assessment.of["WBN"].id
  tests { ids = [assess_skills_test_activation.go.test_id, local.tests["SQL Queries"]] }
}
