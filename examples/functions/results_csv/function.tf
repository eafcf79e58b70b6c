data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

data "assess_assessments" "all" {}

locals {
  names = { for a in data.assess_assessments.all.assessments : a.id => a.name }

  # Assessments by their names, where the service gives ids.
  candidates = [for c in data.assess_position_results.graduates.candidates : merge(c, {
    results = [for r in c.results : merge(r, { assessment_id = lookup(local.names, r.assessment_id, r.assessment_id) })]
  })]
}

# tofu output -raw results > results.csv
output "results" {
  value     = provider::assess::results_csv(local.candidates)
  sensitive = true # not printed; tofu output -raw results still gives it
}

# For Excel, which needs a byte order mark to read accents, and without the
# single results: a projection keeps what it names.
output "scores" {
  value = "\ufeff${provider::assess::results_csv([
    for c in data.assess_position_results.graduates.candidates : { name = c.name, suitability = c.suitability }
  ])}"
  sensitive = true # not printed; tofu output -raw scores still gives it
}
