resource "assess_position_assessment" "games" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
  packages { ids = ["pkg-problem-solving", "pkg-numerical-reasoning"] }
}

resource "assess_position_assessment" "ability" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
  benchmark { id = "bmk-lumen-engineers-en-gb" }
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

resource "assess_position_assessment" "behaviour" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-facet"
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
