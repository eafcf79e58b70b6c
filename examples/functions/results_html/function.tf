data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

# terraform output -raw report > report.html
output "report" {
  value = provider::assess::results_html(data.assess_position_results.graduates.candidates, data.assess_position.graduates.title)
}
