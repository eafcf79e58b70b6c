# Resolves names with data sources.
variable "position_title" {
  type = string
}

data "assess_position" "this" {
  title = var.position_title
}

data "assess_assessments" "all" {}

data "assess_benchmarks" "all" {
  for_each      = toset(["asm-lumen", "asm-quartet"])
  assessment_id = each.key
  locale        = data.assess_position.this.locale
}

data "assess_profiles" "northlight" {
  assessment_id = data.assess_assessments.all.ids_by_code["NLV"]
}

data "assess_assessment_options" "options" {
  for_each      = toset(["QRT", "WBN"])
  assessment_id = data.assess_assessments.all.ids_by_code[each.key]
}

output "position_id" {
  value = data.assess_position.this.id
}

output "assessments" {
  value = data.assess_assessments.all.ids_by_code
}

output "benchmarks" {
  value = merge([for assessment, found in data.assess_benchmarks.all : { for name, id in found.ids_by_name : "${assessment} ${name}" => id }]...)
}

output "profiles" {
  value = data.assess_profiles.northlight.ids_by_name
}

output "packages" {
  value = data.assess_assessment_options.options["QRT"].packages
}

output "tests" {
  value = merge(
    data.assess_assessment_options.options["WBN"].skills_tests,
    data.assess_assessment_options.options["WBN"].disabled_skills_tests,
  )
}
