resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  packages { ids = ["pkg-problem-solving"] }
}
