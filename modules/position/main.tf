# Attaches assessments to one position, with the names that the service shows. README.md has an example.
terraform {
  required_version = ">= 1.9"

  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = ">= 0.1.0"
    }
  }
}

data "assess_position" "this" {
  title = var.title
}

data "assess_assessments" "all" {}

locals {
  names = { for a in data.assess_assessments.all.assessments : a.name => a.id... }
  assessment_ids = { for key in keys(var.assessments) : key =>
    try(one(local.names[key]), data.assess_assessments.all.ids_by_code[key], "")
  }
}

data "assess_assessment_options" "of" {
  for_each = { for key, id in local.assessment_ids : key => id if id != "" }

  assessment_id = each.value
  locale        = data.assess_position.this.locale
}

resource "assess_position_assessment" "this" {
  for_each = var.assessments

  position_id        = data.assess_position.this.id
  assessment_id      = local.assessment_ids[each.key]
  on_refused_removal = each.value.on_refused_removal

  dynamic "packages" {
    for_each = each.value.packages == null && each.value.select_packages == null ? [] : [each.value]
    content {
      select = packages.value.select_packages
      ids    = try([for name in packages.value.packages : local.options[each.key].packages[name]], null)
    }
  }
  dynamic "benchmark" {
    for_each = each.value.benchmark[*]
    content { id = try(local.options[each.key].benchmarks[benchmark.value], "") }
  }
  dynamic "profile" {
    for_each = each.value.profile[*]
    content {
      id                   = try(local.options[each.key].profiles[profile.value], "")
      on_supervisor_change = each.value.on_supervisor_change
    }
  }
  dynamic "tests" {
    for_each = each.value.tests == null ? [] : [each.value.tests]
    content { ids = [for title in tests.value : try(local.options[each.key].skills_tests[title], "")] }
  }

  lifecycle {
    precondition {
      condition     = length(local.problems[each.key]) == 0
      error_message = join("\n", [for problem in local.problems[each.key] : "${var.title}, ${each.key}: ${problem}"])
    }
  }
}
