data "assess_assessment_options" "any" {
  assessment_id = "asm-quartett"
}
