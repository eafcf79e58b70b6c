data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

data "assess_assessments" "all" {}

# In GitHub Actions: tofu output -raw summary >> "$GITHUB_STEP_SUMMARY"
output "summary" {
  value = provider::assess::results_markdown(data.assess_position_results.graduates.candidates, {
    title            = data.assess_position.graduates.title
    assessment_names = { for a in data.assess_assessments.all.assessments : a.id => a.name }
    anonymous        = true # many people can read the summary of a pipeline
  })
  sensitive = true # hidden in the terminal, but "tofu output -raw summary" prints it
}
