data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

# terraform output -raw summary >> "$GITHUB_STEP_SUMMARY"
output "summary" {
  value = provider::assess::results_markdown(data.assess_position_results.graduates.candidates, data.assess_position.graduates.title)
}
