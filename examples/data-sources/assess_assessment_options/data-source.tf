data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_assessment" "games" {
  code = "QRT"
}

data "assess_assessment_options" "games" {
  assessment_id = data.assess_assessment.games.id
  locale        = data.assess_position.backend.locale
}

output "blocks" {
  description = "The blocks that the assessment accepts."
  value       = data.assess_assessment_options.games.blocks
}

# In these maps, you can look up an ID by its name.
resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.games.id

  packages { ids = data.assess_assessment_options.games.mandatory_package_ids }
  benchmark { id = data.assess_assessment_options.games.benchmarks["Engineers"] }
}
