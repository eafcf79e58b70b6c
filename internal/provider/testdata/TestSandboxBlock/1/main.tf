provider "assess" {
  sandbox { state_file = "estate.json" }
}

resource "assess_position_assessment" "ability" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
}
