data "assess_package" "any" {
  assessment_id = "asm-quartet"
  name          = "Problem solvng"
}

data "assess_benchmark" "any" {
  assessment_id = "asm-lumen"
  name          = "Enginers"
}

data "assess_benchmark" "locale" {
  assessment_id = "asm-lumen"
  name          = "Engineers"
  locale        = "es-ES"
}

data "assess_benchmark" "several" {
  assessment_id = "asm-lumen"
  name          = "Engineers"
}

data "assess_profile" "any" {
  assessment_id = "asm-northlight"
  name          = "Curious builder"
}

data "assess_skills_test" "any" {
  assessment_id = "asm-workbench"
  title         = "go programing"
}

data "assess_skills_test" "several" {
  assessment_id = "asm-workbench"
  title         = "TypeScript"
}
