resource "assess_position_assessment" "games" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
  packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning"] }
  benchmark { id = "bmk-quartet-engineers-en-gb" }
}

resource "assess_position_assessment" "values" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"
  profile { id = "prf-customer-first" }
}

resource "assess_position_assessment" "preferences" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-terrain"
}

resource "assess_position_assessment" "skills" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"
  tests { ids = ["skt-sql"] }
}

resource "assess_skills_test_activation" "sql" {
  assessment_id = "asm-workbench"
  test_id       = "skt-sql"
}
