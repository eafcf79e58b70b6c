resource "assess_position_assessment" "games" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
  packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning"] }
  benchmark { id = "bmk-quartet-engineers-en-gb" }
}

resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

resource "assess_position_assessment" "skills" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"
  tests { ids = [assess_skills_test_activation.go.test_id, "skt-sql"] }
}

resource "assess_position_assessment" "facet" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-facet"
}

resource "assess_position_assessment" "values" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"
  profile { id = "prf-customer-first" }
}
