# Attaches assessments to one position. The caller sets assessments by code, and their
# options by name.

terraform {
  required_version = ">= 1.9"

  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = ">= 0.1.0"
    }
  }
}

data "assess_position" "this" { title = var.title }

data "assess_assessment" "this" {
  for_each = toset(var.assessments[*].code)
  code     = each.key
}

data "assess_assessment_options" "this" {
  for_each      = data.assess_assessment.this
  assessment_id = each.value.id
  locale        = data.assess_position.this.locale
}

# The IDs of the options, by assessment, block and name. merge() turns a list that is
# null into {}.
locals {
  ids = { for code, o in data.assess_assessment_options.this : code => {
    packages  = merge(o.packages)
    benchmark = merge(o.benchmarks)
    profile   = merge(o.profiles)
    tests = merge(
      o.disabled_skills_tests,
      o.skills_tests, # wins if a disabled test has the same title
      { for title, id in var.enabled_tests : title => id if contains(o.blocks, "tests") },
    )
  } }
}

resource "assess_position_assessment" "this" {
  for_each      = { for a in var.assessments : a.code => a }
  position_id   = data.assess_position.this.id
  assessment_id = data.assess_assessment.this[each.key].id

  # The service keeps what candidates have been invited to. Then a removal only ends
  # the management, with a warning. Otherwise, it could not be planned.
  on_refused_removal = "forget"

  dynamic "packages" {
    for_each = try(each.value.packages, null) == null ? [] : ["packages"]
    content {
      select = try(tostring(each.value.packages), null)
      ids    = try([for name in tolist(each.value.packages) : lookup(local.ids[each.key].packages, name, null)], null)
    }
  }
  dynamic "benchmark" {
    for_each = try(each.value.benchmark, null)[*]
    content { id = lookup(local.ids[each.key].benchmark, benchmark.value, null) }
  }
  dynamic "profile" {
    for_each = try(each.value.profile, null)[*]
    content {
      id                   = lookup(local.ids[each.key].profile, profile.value, null)
      on_supervisor_change = try(each.value.on_supervisor_change, null)
    }
  }
  dynamic "tests" {
    for_each = try(each.value.tests, null) == null ? [] : ["tests"]
    content { ids = [for title in each.value.tests[*] : lookup(local.ids[each.key].tests, title, null)] }
  }
  lifecycle {
    precondition {
      condition     = length(local.mistakes[each.key]) == 0
      error_message = join("\n", [for m in local.mistakes[each.key] : "${var.title}, ${each.key}: ${m}"])
    }
  }
}

output "title" { value = data.assess_position.this.title }

output "ids" {
  description = "IDs of the position assessments that this module manages, by code."
  value       = { for code, a in assess_position_assessment.this : code => a.id }
}

output "names" {
  description = "Names of the assessments, by code."
  value       = { for code, a in data.assess_assessment.this : code => a.name }
}

output "waiting_for_supervisor" {
  description = "Links at which supervisors complete profiles, by code."
  value       = { for code, a in assess_position_assessment.this : code => a.profile_url if a.profile_status == "SUPERVISOR_TO_COMPLETE" }
  sensitive   = true
}
