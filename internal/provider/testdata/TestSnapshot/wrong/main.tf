provider "assess" {}

resource "assess_position_assessment" "no_such_position" {
  position_id   = "pos-missing"
  assessment_id = "asm-facet"
}

resource "assess_position_assessment" "no_such_benchmark" {
  position_id   = "pos-clientele-lyon"
  assessment_id = "asm-tally"
  benchmark { id = "bmk-tally-finance-en-gb" }
}

resource "assess_position_assessment" "no_packages" {
  position_id   = "pos-clientele-lyon"
  assessment_id = "asm-quartet"
}

resource "assess_position_assessment" "disabled" {
  position_id   = "pos-clientele-lyon"
  assessment_id = "asm-workbench"
  tests { ids = ["skt-go"] }
}
