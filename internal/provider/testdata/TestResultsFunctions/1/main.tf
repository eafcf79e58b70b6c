terraform {
  required_providers {
    assess = { source = "hashicorp/assess" }
  }
}

data "assess_position_results" "graduates" {
  position_id = "pos-graduates-2026"
}

locals {
  candidates = data.assess_position_results.graduates.candidates
}

output "html" {
  value = provider::assess::results_html(local.candidates, "Graduates 2026")
}

output "csv" {
  value = provider::assess::results_csv(local.candidates)
}

output "markdown" {
  value = provider::assess::results_markdown(local.candidates)
}

output "projection" {
  value = provider::assess::results_csv([for c in local.candidates : { name = c.name, suitability = c.suitability }])
}

output "none" {
  value = provider::assess::results_markdown([for c in local.candidates : c if c.name == "none"], "")
}

output "options" {
  value = provider::assess::results_markdown(local.candidates, {
    title            = "Beste"
    language         = "de"
    top              = 2
    date             = "2026-03-05"
    source           = null
    assessment_names = { asm-lumen = "Lumen" }
  })
}

output "anonymous" {
  value = provider::assess::results_csv(local.candidates, { anonymous = true, excel = true })
}

variable "title" {
  type    = string
  default = null
}

output "untitled" {
  value = provider::assess::results_html(local.candidates, var.title)
}

resource "terraform_data" "name" {
  input = "Ada Lovelace"
}

output "unknown" {
  value = provider::assess::results_markdown([{ name = terraform_data.name.output, suitability = 82.4 }])
}
