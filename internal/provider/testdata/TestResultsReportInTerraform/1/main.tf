action "assess_results_report" "weekly" {
  config {
    position_ids = ["pos-open"]
    format       = "html"
    path         = "report.html"

    wait {
      timeout       = "1m"
      poll_interval = "50ms"
    }
  }
}

resource "terraform_data" "week" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.assess_results_report.weekly]
    }
  }
}
