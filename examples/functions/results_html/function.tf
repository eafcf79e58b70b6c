data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

data "assess_assessments" "all" {}

# To write the file: tofu output -raw report > report.html
output "report" {
  value = provider::assess::results_html(data.assess_position_results.graduates.candidates, {
    title            = data.assess_position.graduates.title
    assessment_names = { for a in data.assess_assessments.all.assessments : a.id => a.name }
    date             = formatdate("YYYY-MM-DD", plantimestamp())
  })
  sensitive = true # hidden in the terminal, but "tofu output -raw report" prints it
}
