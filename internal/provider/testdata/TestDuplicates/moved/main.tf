resource "assess_position_assessment" "b" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
}

moved {
  from = assess_position_assessment.a
  to   = assess_position_assessment.b
}
