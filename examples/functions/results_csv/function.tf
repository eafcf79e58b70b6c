data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

data "assess_assessments" "all" {}

# tofu output -raw results > results.csv
output "results" {
  value = provider::assess::results_csv(data.assess_position_results.graduates.candidates, {
    assessment_names = { for a in data.assess_assessments.all.assessments : a.id => a.name }
  })
  sensitive = true # not printed; tofu output -raw results still prints it
}

# Names and scores only, for Excel in German.
output "scores" {
  value = provider::assess::results_csv([
    for c in data.assess_position_results.graduates.candidates : { name = c.name, suitability = c.suitability }
  ], { excel = true, language = "de" })
  sensitive = true # not printed; tofu output -raw scores still prints it
}
