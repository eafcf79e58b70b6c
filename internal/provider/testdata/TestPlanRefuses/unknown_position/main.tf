resource "assess_position_assessment" "a" {
  position_id   = "pos-nowhere"
  assessment_id = "asm-facet"
}
