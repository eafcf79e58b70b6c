resource "assess_position_assessment" "a" {
  position_id   = ".."
  assessment_id = "asm-facet"
}
