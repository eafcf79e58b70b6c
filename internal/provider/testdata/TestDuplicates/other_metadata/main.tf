resource "assess_position_assessment" "b" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-graduates-en-gb" }
}
