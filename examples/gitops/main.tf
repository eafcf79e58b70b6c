# This configuration attaches the assessments in positions.yaml to positions. It uses
# the sandbox, so it requires no account and no network. README.md says how
# to use a real service.

terraform {
  required_version = ">= 1.9"

  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = "~> 0.1.0"
    }
  }
}

provider "assess" {
  sandbox {}
}

variable "file" {
  description = "Path of the file with the positions and their assessments."
  type        = string
  default     = "positions.yaml"

  validation { # the second condition is never true, but the error of its yamldecode() names the line
    condition     = can(concat(yamldecode(file(var.file)).positions, [])) || jsonencode(yamldecode(file(var.file))) == ""
    error_message = "${var.file} has no list \"positions\". Check for missing colons and wrong indentation."
  }

  validation {
    condition = length(setsubtract(try(keys(yamldecode(file(var.file))), []), ["positions", "enabled_skills_tests"])) == 0
    error_message = join("", [
      "${var.file} has unknown keys at the top level: ",
      join(", ", setsubtract(try(keys(yamldecode(file(var.file))), []), ["positions", "enabled_skills_tests"])),
      ". Only \"positions\" and \"enabled_skills_tests\" are allowed.",
    ])
  }

  validation {
    condition = anytrue([
      !can(yamldecode(file(var.file)).enabled_skills_tests), can(keys(merge(yamldecode(file(var.file)).enabled_skills_tests))),
    ])
    error_message = "${var.file}: \"enabled_skills_tests\" must map the code of each skills assessment to titles of tests."
  }
}

# The state names a position by its title. With "formerly", it keeps its first title, so
# that a corrected title changes nothing in the service.

locals {
  file  = yamldecode(file(var.file))
  title = [for i, p in local.file.positions : try(coalesce(tostring(p.title)), "entry ${i + 1} under \"positions\"")]

  positions = { for i, p in local.file.positions : try(coalesce(tostring(p.formerly)), local.title[i]) => {
    title       = local.title[i]
    assessments = try([for a in p.assessments : a], [])
    unmanaged   = try(p.unmanaged[*], [])
    mistakes = concat(
      can(coalesce(tostring(p.title))) ? [] : ["\"title\" is missing."],
      can([for a in p.assessments : a]) ? [] : ["The list \"assessments\" is missing."],
      [for key in setsubtract(try(keys(p), []), ["title", "formerly", "assessments", "unmanaged"]) :
      "Unknown key ${key}. A position can have title, formerly, assessments and unmanaged."],
    )
  }... }
}

module "position" {
  source   = "./modules/position"
  for_each = local.positions

  title         = each.value[0].title
  assessments   = each.value[0].assessments
  unmanaged     = each.value[0].unmanaged
  enabled_tests = { for key, activation in assess_skills_test_activation.this : local.enabled[key].title => activation.test_id }
  mistakes = concat(each.value[0].mistakes, length(each.value) == 1 ? [] : [
    "There is more than one entry. Merge the entries, or correct \"formerly\"."
  ])
}

# Takes an assessment that is attached already into the state, because its entry has
# "import". An import block with a literal address would break the tests, whose file
# has other positions.

locals {
  imports = { for i in flatten([for key, p in local.positions : [
    for a in p[0].assessments : { key = key, code = a.code, id = a.import } if can(a.import)
  ]]) : "${i.key}, ${i.code}" => i }
}

import {
  for_each = local.imports
  to       = module.position[each.value.key].assess_position_assessment.this[each.value.code]
  id       = each.value.id
}

check "imports_are_temporary" {
  assert {
    condition     = length(local.imports) == 0
    error_message = "After the merge, delete \"import\" in ${var.file} from: ${join("; ", keys(local.imports))}."
  }
}

# Enables the skills tests under enabled_skills_tests in the file.

locals {
  enabled = merge([
    for code, titles in try(merge(local.file.enabled_skills_tests), {}) : { for title in distinct(titles[*]) : "${code}/${title}" => { code = code, title = title } }
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
  description = "Title of each position, and names of its assessments."
  value       = { for key, p in module.position : key => { title = p.title, assessments = p.names } }
}

output "waiting_for_supervisor" {
  description = "Links at which supervisors complete profiles, by position and assessment. Send each link only to its supervisor."
  value       = { for p in module.position : p.title => p.waiting_for_supervisor if length(p.waiting_for_supervisor) > 0 }
  sensitive   = true
}
