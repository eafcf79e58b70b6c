resource "assess_position_assessment" "b" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
}

import {
  to = assess_position_assessment.b
  id = "pos-backend-london/pas-0001"
}
