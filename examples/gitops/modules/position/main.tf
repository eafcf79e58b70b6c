# One position with its assessments.

terraform {
  required_version = ">= 1.12"

  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

locals {
  # Every entry with all keys, null where it does not have one.
  assessments = { for a in var.assessments : a.code => {
    select    = try(tostring(a.packages), null) # the word all or mandatory
    packages  = try(tolist(a.packages), null)
    benchmark = try(a.benchmark, null)
    profile   = try(a.profile, null)
    tests     = try(a.tests, null)
  } }
}

data "assess_position" "this" {
  title = var.title
}

data "assess_assessment" "this" {
  for_each = local.assessments
  code     = each.key
}

# What there is to choose from, read where something is chosen by its name.

data "assess_packages" "this" {
  for_each      = { for code, a in local.assessments : code => a if a.packages != null }
  assessment_id = data.assess_assessment.this[each.key].id
}

data "assess_benchmarks" "this" {
  for_each      = { for code, a in local.assessments : code => a if a.benchmark != null }
  assessment_id = data.assess_assessment.this[each.key].id
  locale        = data.assess_position.this.locale
}

data "assess_profiles" "this" {
  for_each      = { for code, a in local.assessments : code => a if a.profile != null }
  assessment_id = data.assess_assessment.this[each.key].id
}

data "assess_skills_tests" "this" {
  for_each      = { for code, a in local.assessments : code => a if a.tests != null }
  assessment_id = data.assess_assessment.this[each.key].id
}

locals {
  # Ids by what people say, such as "benchmark Engineers", for each assessment.
  ids = { for code, a in local.assessments : code => merge(
    { for p in try(data.assess_packages.this[code].packages, []) : "package ${p.name}" => p.id },
    { for b in try(data.assess_benchmarks.this[code].benchmarks, []) : "benchmark ${b.name}" => b.id },
    { for p in try(data.assess_profiles.this[code].profiles, []) : "profile ${p.name}" => p.id },
    { for t in try(data.assess_skills_tests.this[code].tests, []) : "test ${t.title}" => t.id },
    { for title, id in var.enabled_tests : "test ${title}" => id if a.tests != null },
  ) }

  # What an entry asks for and its assessment does not have.
  unknown = { for code, a in local.assessments : code => setsubtract(
    flatten([
      [for name in a.packages[*] : "package ${name}"],
      [for name in a.benchmark[*] : "benchmark ${name}"],
      [for name in a.profile[*] : "profile ${name}"],
      [for title in a.tests[*] : "test ${title}"],
    ]),
    keys(local.ids[code])
  ) }
}

resource "assess_position_assessment" "this" {
  for_each      = local.assessments
  position_id   = data.assess_position.this.id
  assessment_id = data.assess_assessment.this[each.key].id

  dynamic "packages" {
    for_each = each.value.select != null || each.value.packages != null ? ["packages"] : []
    content {
      select = each.value.select
      ids    = each.value.packages == null ? null : [for name in each.value.packages : lookup(local.ids[each.key], "package ${name}", null)]
    }
  }

  dynamic "benchmark" {
    for_each = each.value.benchmark[*]
    content { id = lookup(local.ids[each.key], "benchmark ${benchmark.value}", null) }
  }

  dynamic "profile" {
    for_each = each.value.profile[*]
    content { id = lookup(local.ids[each.key], "profile ${profile.value}", null) }
  }

  dynamic "tests" {
    for_each = each.value.tests != null ? ["tests"] : []
    content { ids = [for title in each.value.tests : lookup(local.ids[each.key], "test ${title}", null)] }
  }

  lifecycle {
    precondition {
      condition     = length(local.unknown[each.key]) == 0
      error_message = "${var.title}, ${each.key}: there is no ${join(", no ", local.unknown[each.key])}. There are: ${join("; ", keys(local.ids[each.key]))}."
    }
  }
}
