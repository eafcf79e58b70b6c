data "assess_packages" "all" {
  assessment_id = "asm-quartet"
}

data "assess_packages" "elsewhere" {
  assessment_id = "asm-lumen"
}
