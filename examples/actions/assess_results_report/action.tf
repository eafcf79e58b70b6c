data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_assessment" "ability" {
  code = "LMN"
}

# To run this action: terraform apply -invoke=action.assess_results_report.graduates
action "assess_results_report" "graduates" {
  config {
    position_ids = [data.assess_position.graduates.id]
    path         = "graduates.html"
    overwrite    = true
  }
}

# A table of one assessment that Excel opens with a double click.
action "assess_results_report" "ability" {
  config {
    position_ids   = [data.assess_position.graduates.id]
    assessment_ids = [data.assess_assessment.ability.id]
    format         = "csv"
    excel          = true
    path           = "ability.csv"
  }
}
