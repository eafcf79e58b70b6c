data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

# terraform output -raw results > results.csv
output "results" {
  value = provider::assess::results_csv(data.assess_position_results.graduates.candidates)
}

# For Excel, which needs a byte order mark to read accents, and without the
# single results: a projection keeps what it names.
output "scores" {
  value = "\ufeff${provider::assess::results_csv([
    for c in data.assess_position_results.graduates.candidates : { name = c.name, suitability = c.suitability }
  ])}"
}
