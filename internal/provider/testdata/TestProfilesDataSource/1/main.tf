data "assess_profiles" "all" {
  assessment_id = "asm-northlight"
}

data "assess_profiles" "elsewhere" {
  assessment_id = "asm-lumen"
}
