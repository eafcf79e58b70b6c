data "assess_package" "by_id" {
  assessment_id = "asm-quartet"
  id            = "pkg-processing-speed"
}

data "assess_package" "by_name" {
  assessment_id = "asm-quartet"
  name          = "Problem solving"
}

data "assess_benchmark" "by_id" {
  assessment_id = "asm-lumen"
  id            = "bmk-lumen-managers-fr-fr"
}

data "assess_benchmark" "by_name" {
  assessment_id = "asm-lumen"
  name          = "Managers"
  locale        = "FR_fr"
}

data "assess_profile" "by_id" {
  assessment_id = "asm-northlight"
  id            = "prf-customer-first"
}

data "assess_profile" "by_name" {
  assessment_id = "asm-northlight"
  name          = "Customer first"
}

data "assess_skills_test" "by_id" {
  assessment_id = "asm-workbench"
  id            = "skt-go"
}

data "assess_skills_test" "by_title" {
  assessment_id = "asm-workbench"
  title         = "SQL Queries"
}
