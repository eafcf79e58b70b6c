data "assess_assessments" "all" {}

data "assess_assessment_options" "QRT" {
  assessment_id = data.assess_assessments.all.ids_by_code["QRT"]
  locale        = "en_gb"
}

data "assess_assessment_options" "NLV" {
  assessment_id = data.assess_assessments.all.ids_by_code["NLV"]
  locale        = "en_gb"
}

data "assess_assessment_options" "WBN" {
  assessment_id = data.assess_assessments.all.ids_by_code["WBN"]
  locale        = "en_gb"
}

data "assess_assessment_options" "TLY" {
  assessment_id = data.assess_assessments.all.ids_by_code["TLY"]
  locale        = "en_gb"
}

data "assess_assessment_options" "FCT" {
  assessment_id = data.assess_assessments.all.ids_by_code["FCT"]
  locale        = "en_gb"
}

data "assess_assessment_options" "every_locale" {
  assessment_id = "asm-lumen"
}

# The same lists again. They cause no further requests.

data "assess_packages" "games" {
  assessment_id = "asm-quartet"
}

data "assess_benchmarks" "games" {
  assessment_id = "asm-quartet"
}

data "assess_skills_tests" "all" {
  assessment_id = "asm-workbench"
}
