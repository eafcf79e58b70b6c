data "assess_position" "paris" {
  title = "Ingénieure données, Paris"
}

data "assess_positions" "paris" {
  title = "Ingénieure données, Paris"
}

data "assess_assessment" "code" {
  code = "ÉTÉ"
}

data "assess_package" "summer" {
  assessment_id = "asm-quartet"
  name          = "Été"
}

data "assess_packages" "games" {
  assessment_id = "asm-quartet"
}

data "assess_assessment_options" "games" {
  assessment_id = "asm-quartet"
}
