resource "terraform_data" "address" {
  input = "https://assess.example.com"
}

provider "assess" {
  base_url = terraform_data.address.output
}

data "assess_assessment" "any" {
  code = "QRT"
}

data "assess_assessments" "any" {}

data "assess_benchmarks" "any" {
  assessment_id = "asm-lumen"
}

data "assess_packages" "any" {
  assessment_id = "asm-quartet"
}

data "assess_position" "any" {
  id = "pos-backend-london"
}

data "assess_position_assessment" "any" {
  position_id = "pos-graduates-2026"
  id          = "pas-graduates-lumen"
}

data "assess_position_assessments" "any" {
  position_id = "pos-graduates-2026"
}

data "assess_position_results" "any" {
  position_id = "pos-graduates-2026"
}

data "assess_positions" "any" {}

data "assess_profiles" "any" {
  assessment_id = "asm-northlight"
}

data "assess_skills_tests" "any" {
  assessment_id = "asm-workbench"
}

data "assess_assessment_options" "any" {
  assessment_id = "asm-lumen"
}

data "assess_benchmark" "any" {
  assessment_id = "asm-lumen"
  name          = "Engineers"
}
