data "assess_position_results" "all" {
  position_id = "pos-graduates-2026"
}

data "assess_position_results" "again" {
  position_id = "pos-graduates-2026"
}

output "candidates" {
  value = data.assess_position_results.all.candidates
}
