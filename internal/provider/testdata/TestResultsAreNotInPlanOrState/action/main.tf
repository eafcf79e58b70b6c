action "assess_results_report" "graduates" {
  config {
    position_ids = ["pos-graduates-2026"]
    format       = "json"
    path         = "results.report"
  }
}

resource "terraform_data" "report" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.assess_results_report.graduates]
    }
  }
}
