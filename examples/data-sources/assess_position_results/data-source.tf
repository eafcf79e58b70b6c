data "assess_position_results" "graduates" {
  position_id    = "pos-graduates-2026"
  assessment_ids = ["asm-lumen"] # suitability is calculated only over these
}

output "ranked" {
  value = [
    for c in data.assess_position_results.graduates.candidates : "${c.name}: ${c.suitability}"
    if c.suitability != null # omits candidates who have not finished
  ]
  sensitive = true # hidden in the terminal, but "tofu output -json ranked" prints it
}
