data "assess_position" "controlling" {
  title = "Controller (m/w/d), Hamburg"
}

data "assess_assessment" "ability" {
  code = "LMN"
}

# The benchmark for the locale of the position. Benchmarks of other locales have the same name.
data "assess_benchmark" "managers" {
  assessment_id = data.assess_assessment.ability.id
  name          = "Managers" # or id
  locale        = data.assess_position.controlling.locale
}

resource "assess_position_assessment" "ability" {
  position_id   = data.assess_position.controlling.id
  assessment_id = data.assess_assessment.ability.id

  benchmark { id = data.assess_benchmark.managers.id }
}
