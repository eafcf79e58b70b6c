# Attaches the assessments that the rows of a spreadsheet list. README.md explains its columns.
terraform {
  required_version = ">= 1.9"
  required_providers { assess = { source = "assessascode/assess", version = ">= 0.1.0" } }
}
data "assess_assessments" "all" {}
data "assess_assessment_options" "of" { # the names that an assessment accepts on a position of a locale
  for_each      = { for row in local.rows : row.options => row... if row.assessment_id != "" }
  assessment_id = each.value[0].assessment_id
  locale        = each.value[0].position_locale == "" ? null : each.value[0].position_locale
}
locals {
  named       = { for a in data.assess_assessments.all.assessments : a.name => a.id... if a.name != null }
  ids_by_name = { for name, ids in local.named : name => ids[0] if length(ids) == 1 }
  rows = { for key, lines in { for line in local.lines : line.key => line... } : key => merge(lines[0], {
    rows            = lines[*].row
    position_id     = try(one(local.titled[lines[0].title]).id, "")
    position_locale = try(coalesce(one(local.titled[lines[0].title]).locale), "")
    assessment_id   = lookup(merge(data.assess_assessments.all.ids_by_code, local.ids_by_name), lines[0].assessment, "")
    options         = "${lines[0].assessment} ${try(coalesce(one(local.titled[lines[0].title]).locale), "")}"
  }) }
  lists = { packages = "packages", benchmark = "benchmarks", profile = "profiles", tests = "skills_tests" }
  ids = { for key, row in local.rows : key => { for column, list in local.lists : column => {
    for name in distinct(compact([for part in split("|", row[column]) : trimspace(part)])) :
    name => try(data.assess_assessment_options.of[row.options][list][name], "")
  } } }
}
resource "assess_position_assessment" "row" {
  for_each      = local.rows
  position_id   = each.value.position_id
  assessment_id = each.value.assessment_id
  dynamic "packages" {
    for_each = length(local.ids[each.key].packages) == 0 ? [] : [values(local.ids[each.key].packages)]
    content { ids = packages.value }
  }
  dynamic "benchmark" {
    for_each = try([values(local.ids[each.key].benchmark)[0]], [])
    content { id = benchmark.value }
  }
  dynamic "profile" {
    for_each = try([values(local.ids[each.key].profile)[0]], [])
    content { id = profile.value }
  }
  dynamic "tests" {
    for_each = length(local.ids[each.key].tests) == 0 ? [] : [values(local.ids[each.key].tests)]
    content { ids = tests.value }
  }
  lifecycle {
    precondition {
      condition     = length(local.problems[each.key]) == 0
      error_message = join("\n", local.problems[each.key])
    }
  }
}
