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

# tofu output -raw report > report.html
output "report" {
  value     = provider::assess::results_html(local.candidates, data.assess_position.graduates.title)
  sensitive = true # not printed; tofu output -raw report still gives it
}
