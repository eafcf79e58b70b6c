terraform {
  required_providers {
    assess = { source = "hashicorp/assess" }
  }
}

resource "assess_position_assessment" "values" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"
}

resource "assess_position_assessment" "games" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
  packages { select = "all" }
}

resource "assess_skills_test_activation" "disabled" {
  assessment_id = "asm-workbench"
  test_id       = "skt-rust"
}

data "assess_assessment" "one" { code = "LMN" }
data "assess_assessments" "all" {}
data "assess_position" "one" { id = "pos-backend-london" }
data "assess_positions" "all" {}

data "assess_package" "one" {
  assessment_id = "asm-quartet"
  id            = data.assess_packages.all.ids[0]
}

data "assess_packages" "all" { assessment_id = "asm-quartet" }

data "assess_benchmark" "one" {
  assessment_id = "asm-lumen"
  id            = data.assess_benchmarks.all.ids[0]
}

data "assess_benchmarks" "all" { assessment_id = "asm-lumen" }

data "assess_profile" "one" {
  assessment_id = "asm-northlight"
  id            = data.assess_profiles.all.ids[0]
}

data "assess_profiles" "all" { assessment_id = "asm-northlight" }

data "assess_skills_test" "one" {
  assessment_id = "asm-workbench"
  id            = data.assess_skills_tests.all.ids[0]
}

data "assess_skills_tests" "all" { assessment_id = "asm-workbench" }

data "assess_skills_tests" "disabled" {
  assessment_id = "asm-workbench"
  active        = false
}

data "assess_assessment_options" "games" { assessment_id = "asm-quartet" }

data "assess_position_assessments" "graduates" { position_id = "pos-graduates-2026" }

data "assess_position_assessment" "values" {
  position_id = assess_position_assessment.values.position_id
  id          = assess_position_assessment.values.id
}

ephemeral "assess_profile_link" "values" {
  position_id = assess_position_assessment.values.position_id
  id          = assess_position_assessment.values.id
}

ephemeral "assess_position_results" "graduates" {
  position_id = "pos-graduates-2026"
}

locals {
  candidates = ephemeral.assess_position_results.graduates.candidates
}

resource "terraform_data" "report" {
  provisioner "local-exec" {
    command = "printf '%s' \"$HTML\" > html.report && cat html.report && printf '%s%s%s' \"$CSV\" \"$MARKDOWN\" \"$LINK\""
    environment = {
      HTML     = provider::assess::results_html(slice(local.candidates, 0, 5))
      CSV      = provider::assess::results_csv(slice(local.candidates, 0, 5))
      MARKDOWN = provider::assess::results_markdown(slice(local.candidates, 0, 5))
      LINK     = ephemeral.assess_profile_link.values.url
    }
  }
}

output "everything" {
  value     = [data.assess_skills_tests.all, data.assess_position_assessments.graduates, assess_position_assessment.values]
  sensitive = true
}

output "tests" {
  value = data.assess_skills_tests.all
}
