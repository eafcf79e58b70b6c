data "assess_position_results" "graduates" {
  position_id    = "pos-graduates-2026"
  assessment_ids = ["asm-lumen"] # suitability is then that over these alone
}

output "first_three" {
  value = [for c in slice(data.assess_position_results.graduates.candidates, 0, 3) : "${c.name}: ${c.suitability}"]
}
