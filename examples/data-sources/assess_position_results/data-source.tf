data "assess_position_results" "graduates" {
  position_id    = "pos-graduates-2026"
  assessment_ids = ["asm-lumen"] # suitability is then that over these alone
}

output "ranked" {
  value = [
    for c in data.assess_position_results.graduates.candidates : "${c.name}: ${c.suitability}"
    if c.suitability != null # not everybody has finished
  ]
  sensitive = true # not printed; tofu output -json ranked still gives it
}
