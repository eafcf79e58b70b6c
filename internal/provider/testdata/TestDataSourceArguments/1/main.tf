data "assess_assessment" "two" {
  code = "QRT"
  name = "Quartet Games"
}

data "assess_assessment" "none" {}

data "assess_assessment" "latin1" {
  name = "Zł"
}

data "assess_position" "two" {
  id    = "pos-backend-london"
  title = "Backend Engineer, London"
}

data "assess_position" "none" {}

data "assess_positions" "latin1" {
  title = "Zł"
}

data "assess_packages" "empty" {
  assessment_id = ""
}

data "assess_benchmarks" "empty" {
  assessment_id = ""
}

data "assess_profiles" "empty" {
  assessment_id = ""
}

data "assess_skills_tests" "empty" {
  assessment_id = ""
}

data "assess_position_assessment" "dots" {
  position_id = "pos-backend-london"
  id          = ".."
}

data "assess_position_assessments" "empty" {
  position_id = ""
}

data "assess_position_results" "latin1" {
  position_id   = "pos-graduates-2026"
  candidate_ids = ["cnd-ł"]
}

data "assess_position_results" "null_filter" {
  position_id    = "pos-graduates-2026"
  assessment_ids = [null]
}

data "assess_benchmark" "none" {
  assessment_id = "asm-lumen"
}

data "assess_package" "two" {
  assessment_id = "asm-quartet"
  id            = "pkg-problem-solving"
  name          = "Problem solving"
}

data "assess_profile" "latin1" {
  assessment_id = "asm-northlight"
  name          = "Zł"
}

data "assess_skills_test" "empty" {
  assessment_id = ""
  title         = "SQL Queries"
}

data "assess_assessment_options" "empty" {
  assessment_id = ""
}
