variable "positions" { type = number }

resource "assess_position_assessment" "all" {
  count         = 1
  position_id   = format("pos-%04d", var.positions - 1)
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
}
