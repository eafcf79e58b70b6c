data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

data "assess_assessments" "all" {}

# To write the file: tofu output -raw results > results.csv
output "results" {
  value = provider::assess::results_csv(data.assess_position_results.graduates.candidates, {
    assessment_names = { for a in data.assess_assessments.all.assessments : a.id => a.name }
  })
  sensitive = true # hidden in the terminal, but "tofu output -raw results" prints it
}
