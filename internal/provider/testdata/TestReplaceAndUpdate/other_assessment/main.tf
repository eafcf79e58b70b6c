resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-tally"
  benchmark { id = "bmk-tally-finance-en-gb" }
}
