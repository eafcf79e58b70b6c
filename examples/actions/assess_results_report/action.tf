# terraform apply -invoke=action.assess_results_report.graduates
action "assess_results_report" "graduates" {
  config {
    position_ids = ["pos-graduates-2026"]
    format       = "html"
    path         = "graduates.html"
    overwrite    = true
  }
}

# Waits until everybody has finished, or the invitation has expired.
action "assess_results_report" "ability_when_done" {
  config {
    position_ids   = ["pos-graduates-2026"]
    assessment_ids = ["asm-lumen"]
    format         = "csv"
    path           = "ability.csv"

    wait {
      timeout       = "4h"
      poll_interval = "5m"
    }
  }
}
