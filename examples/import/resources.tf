# The CLI generated these blocks with `plan -generate-config-out`.

resource "assess_position_assessment" "ability" {
  assessment_id = "asm-lumen"
  position_id   = "pos-graduates-2026"
  benchmark {
    id = "bmk-lumen-graduates-en-gb"
  }
}

resource "assess_position_assessment" "emotions" {
  assessment_id = "asm-tideline"
  position_id   = "pos-graduates-2026"
}

resource "assess_position_assessment" "reliability" {
  assessment_id = "asm-keystone"
  position_id   = "pos-graduates-2026"
}

resource "assess_position_assessment" "values" {
  assessment_id = "asm-northlight"
  position_id   = "pos-graduates-2026"
  profile {
    id                   = "prf-curious-builders"
    on_supervisor_change = "keep"
  }
}
