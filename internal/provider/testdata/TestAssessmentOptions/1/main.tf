data "assess_assessments" "all" {}

data "assess_assessment_options" "any" {
  for_each      = data.assess_assessments.all.ids_by_code
  assessment_id = each.value
  locale        = "en_gb"
}

data "assess_assessment_options" "every_locale" {
  assessment_id = "asm-lumen"
}

# The same lists once more: no further request.

data "assess_packages" "games" {
  assessment_id = "asm-quartet"
}

data "assess_benchmarks" "games" {
  assessment_id = "asm-quartet"
}

data "assess_skills_tests" "all" {
  assessment_id = "asm-workbench"
}
