resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
  packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning", "pkg-chess"] }
}
