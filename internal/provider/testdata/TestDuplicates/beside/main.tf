resource "assess_position_assessment" "first" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"
}

resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
  lifecycle { create_before_destroy = true }
  depends_on = [assess_position_assessment.first]
}
