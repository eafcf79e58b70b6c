data "assess_position_results" "graduates" {
  position_id    = "pos-graduates-2026"
  assessment_ids = ["asm-lumen"] # the suitability is then based only on these
}

output "ranked" {
  value = [
    for c in data.assess_position_results.graduates.candidates : "${c.name}: ${c.suitability}"
    if c.suitability != null # some candidates have not finished
  ]
  sensitive = true # not printed; tofu output -json ranked still prints it
}
