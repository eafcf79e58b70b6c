data "assess_position_results" "all" {
  position_id = "pos-graduates-2026"
}
