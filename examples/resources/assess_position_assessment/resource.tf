# A multi-game cognitive assessment, with packages and a benchmark for the locale of the position.

data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_assessment" "games" {
  code = "QRT"
}

data "assess_benchmark" "engineers" {
  assessment_id = data.assess_assessment.games.id
  name          = "Engineers"
  locale        = data.assess_position.backend.locale
}

resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.games.id

  packages { select = "all" } # or "mandatory", or ids = [...]
  benchmark { id = data.assess_benchmark.engineers.id }
}
