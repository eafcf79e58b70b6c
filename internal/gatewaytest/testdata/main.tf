provider "assess" {
  request_timeout = "2s"
  retry_timeout   = "6s"
  rate_limit { coordination = "none" }
}

data "assess_positions" "all" {}

data "assess_benchmark" "engineers" {
  assessment_id = "asm-lumen"
  name          = "Engineers"
  locale        = "en-GB"
}

data "assess_position_results" "graduates" {
  position_id = "pos-graduates-2026"
}

resource "assess_position_assessment" "games" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
  packages { select = "all" }
}

resource "assess_position_assessment" "benchmark" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  benchmark { id = data.assess_benchmark.engineers.id }
}

resource "assess_position_assessment" "profile" {
  position_id   = "pos-support-leeds"
  assessment_id = "asm-northlight"
  profile { id = "prf-customer-first" }
}

resource "assess_position_assessment" "supervisor" {
  position_id   = "pos-support-leeds"
  assessment_id = "asm-terrain"
}

resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

resource "assess_position_assessment" "skills" {
  position_id   = "pos-donnees-paris"
  assessment_id = "asm-workbench"
  tests { ids = ["skt-sql", assess_skills_test_activation.go.test_id] }
}

resource "assess_position_assessment" "plain" {
  position_id        = "pos-donnees-paris"
  assessment_id      = "asm-facet"
  on_refused_removal = "forget"
}

output "positions" { value = length(data.assess_positions.all.ids) }

output "candidates" { value = length(data.assess_position_results.graduates.candidates) }
