# Positions and their assessments from one file, on the embedded service: no
# account, no network. README.md says what to change for the real one.

terraform {
  required_version = ">= 1.12"

  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

provider "assess" {
  sandbox {}
}

variable "file" {
  description = "The file that says which position has which assessments."
  type        = string
  default     = "positions.yaml"

  validation {
    condition     = can(yamldecode(file(var.file)).positions[*].assessments)
    error_message = "${var.file} is not YAML with a list \"positions\" that have a \"title\" and \"assessments\". Look for a missing colon, or for a line that is not indented like its neighbours."
  }

  validation {
    condition     = try(length(setsubtract(keys(yamldecode(file(var.file))), ["positions", "enabled_skills_tests"])) == 0, true)
    error_message = "At its left margin, ${var.file} has \"positions\" and \"enabled_skills_tests\", and nothing else."
  }

  validation {
    condition     = try(length(yamldecode(file(var.file)).positions[*].title) == length(distinct(yamldecode(file(var.file)).positions[*].title)), true)
    error_message = "A position has two entries in ${var.file}. Merge them."
  }
}

locals {
  file = yamldecode(file(var.file))
}

module "position" {
  source   = "./modules/position"
  for_each = { for p in local.file.positions : p.title => p }

  title         = each.key
  assessments   = each.value.assessments
  enabled_tests = { for key, activation in assess_skills_test_activation.this : local.enabled[key].title => activation.test_id }
}

# Skills tests that the file wants enabled.

locals {
  enabled = merge([
    for code, titles in lookup(local.file, "enabled_skills_tests", {}) : { for title in titles : "${code}/${title}" => { code = code, title = title } }
  ]...)
}

data "assess_assessment" "skills" {
  for_each = toset(values(local.enabled)[*].code)
  code     = each.key
}

data "assess_skills_test" "enabled" {
  for_each      = local.enabled
  assessment_id = data.assess_assessment.skills[each.value.code].id
  title         = each.value.title
}

resource "assess_skills_test_activation" "this" {
  for_each      = data.assess_skills_test.enabled
  assessment_id = each.value.assessment_id
  test_id       = each.value.id
}

output "positions" {
  description = "Names of the assessments that each position has."
  value       = { for title, p in module.position : title => p.names }
}

output "waiting_for_supervisor" {
  description = "Addresses at which supervisors complete profiles, by position and assessment. Send each to its supervisor, and to nobody else."
  value       = { for title, p in module.position : title => p.waiting_for_supervisor if length(p.waiting_for_supervisor) > 0 }
  sensitive   = true
}
