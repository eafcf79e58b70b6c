action "assess_results_report" "graduates" {
  config {
    position_ids = ["pos-graduates-2026"]
    path         = "report.html"
  }
}
