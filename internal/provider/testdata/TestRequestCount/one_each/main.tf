variable "positions" { type = number }

resource "assess_position_assessment" "all" {
  count         = var.positions
  position_id   = format("pos-%04d", count.index)
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
}
