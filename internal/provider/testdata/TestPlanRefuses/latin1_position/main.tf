resource "assess_position_assessment" "a" {
  position_id   = "pos-Łódź"
  assessment_id = "asm-facet"
}
