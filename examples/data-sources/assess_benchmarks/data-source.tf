data "assess_position" "controlling" {
  title = "Controller (m/w/d), Hamburg"
}

data "assess_assessment" "ability" {
  code = "LMN"
}

data "assess_benchmarks" "ability" {
  assessment_id = data.assess_assessment.ability.id
  locale        = data.assess_position.controlling.locale
}

output "benchmarks" {
  description = "IDs of the benchmarks for the locale of the position, by name."
  value       = data.assess_benchmarks.ability.ids_by_name
}
