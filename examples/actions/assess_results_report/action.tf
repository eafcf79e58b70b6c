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

# Waits until there are at least 20 invitations, and all are completed or expired.
action "assess_results_report" "ability_when_done" {
  config {
    position_ids   = [data.assess_position.graduates.id]
    assessment_ids = [data.assess_assessment.ability.id]
    format         = "csv"
    excel          = true
    path           = "ability.csv"

    wait {
      timeout         = "4h"
      poll_interval   = "5m"
      min_invitations = 20
    }
  }
}
