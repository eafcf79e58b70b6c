data "assess_profiles" "values" {
  assessment_id = "asm-northlight"
}

output "profiles" {
  description = "Names by id."
  value       = { for p in data.assess_profiles.values.profiles : p.id => p.name }
}
