data "assess_profiles" "values" {
  assessment_id = "asm-northlight"
}

output "profiles" {
  description = "IDs of profiles, by name."
  value       = data.assess_profiles.values.ids_by_name
}
