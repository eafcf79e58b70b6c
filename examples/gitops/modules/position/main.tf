# Attaches assessments to one position. Assessments and their options are set by name.

terraform {
  required_providers { assess = { source = "assessascode/assess" } }
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

locals { # ids: the options of each assessment. missing: names that are set, but do not exist. merge() turns null into {}.
  ids = { for code, o in data.assess_assessment_options.this : code => {
    packages  = merge(o.packages)
    benchmark = merge(o.benchmarks)
    profile   = merge(o.profiles)
    tests     = merge(o.skills_tests, o.disabled_skills_tests, { for title, id in var.enabled_tests : title => id if contains(o.blocks, "tests") })
  } }
  missing = { for a in var.assessments : a.code => flatten([for block, ids in local.ids[a.code] : [for name in setsubtract(try(a[block], null)[*], ["all", "mandatory"]) : "${trimsuffix(block, "s")} ${name}" if !contains(keys(ids), name)]]) }
}

resource "assess_position_assessment" "this" {
  for_each      = { for a in var.assessments : a.code => a }
  position_id   = data.assess_position.this.id
  assessment_id = data.assess_assessment.this[each.key].id

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
    content { id = lookup(local.ids[each.key].profile, profile.value, null) }
  }
  dynamic "tests" {
    for_each = try(each.value.tests, null) == null ? [] : ["tests"]
    content { ids = [for title in each.value.tests : lookup(local.ids[each.key].tests, title, null)] }
  }
  lifecycle {
    precondition {
      condition     = length(local.missing[each.key]) == 0
      error_message = "${var.title}, ${each.key}: there is no ${join(", no ", local.missing[each.key])}. There are: ${join("; ", flatten([for ids in values(local.ids[each.key]) : keys(ids)]))}.${join("", [for name in data.assess_assessment_options.this[each.key].ambiguous_names : " ${name} occurs more than once."])}"
    }
  }
}
