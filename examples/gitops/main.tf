# This configuration attaches the assessments in positions.yaml to positions. It uses
# the embedded service, so it requires no account and no network. README.md says how
# to use a real service.

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
  description = "Path of the file with the positions and their assessments."
  type        = string
  default     = "positions.yaml"

  validation {
    condition     = can(yamldecode(file(var.file)).positions[*].assessments)
    error_message = "${var.file} is not YAML with a list \"positions\" whose entries have a \"title\" and \"assessments\". Check for missing colons and wrong indentation."
  }

  validation {
    condition     = try(length(setsubtract(keys(yamldecode(file(var.file))), ["positions", "enabled_skills_tests"])) == 0, true)
    error_message = "${var.file} has unknown keys at the top level. Only \"positions\" and \"enabled_skills_tests\" are allowed."
  }

  validation {
    condition     = try(length(yamldecode(file(var.file)).positions[*].title) == length(distinct(yamldecode(file(var.file)).positions[*].title)), true)
    error_message = "A position has more than one entry in ${var.file}. Merge the entries."
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

# Enables the skills tests under enabled_skills_tests in the file.

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
  description = "Links at which supervisors complete profiles, by position and assessment. Send each link only to its supervisor."
  value       = { for title, p in module.position : title => p.waiting_for_supervisor if length(p.waiting_for_supervisor) > 0 }
  sensitive   = true
}
