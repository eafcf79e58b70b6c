resource "assess_position_assessment" "ability" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
}

resource "assess_position_assessment" "games" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
  packages {
    select = "mandatory"
  }
  benchmark {
    id = "bmk-quartet-engineers-en-gb"
  }
}

resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

resource "assess_position_assessment" "open" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-terrain"
}

resource "assess_position_assessment" "skills" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"
  tests {
    ids = ["skt-go", "skt-sql"]
  }
}

resource "assess_position_assessment" "values" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"
  profile {
    id = "prf-customer-first"
  }
}
