data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_assessment" "ability" {
  code = "LMN"
}

data "assess_position_results" "graduates" {
  position_id    = data.assess_position.graduates.id
  assessment_ids = [data.assess_assessment.ability.id] # suitability is calculated only over these
}

output "ranked" {
  value = [
    for c in data.assess_position_results.graduates.candidates : "${c.name}: ${c.suitability}"
    if c.suitability != null # omits candidates who have not finished
  ]
  sensitive = true # hidden in the terminal, but "tofu output -json ranked" prints it
}
