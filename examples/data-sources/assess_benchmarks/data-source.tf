data "assess_position" "controlling" {
  title = "Controller (m/w/d), Hamburg"
}

# The benchmarks that fit the position, by name.
data "assess_benchmarks" "ability" {
  assessment_id = "asm-lumen"
  locale        = data.assess_position.controlling.locale
}

resource "assess_position_assessment" "ability" {
  position_id   = data.assess_position.controlling.id
  assessment_id = "asm-lumen"

  benchmark {
    id = one([for b in data.assess_benchmarks.ability.benchmarks : b.id if b.name == "Managers"])
  }
}
