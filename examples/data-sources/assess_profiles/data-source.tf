data "assess_assessment" "values" {
  code = "NLV"
}

data "assess_profiles" "values" {
  assessment_id = data.assess_assessment.values.id
}

output "profiles" {
  description = "IDs of profiles, by name."
  value       = data.assess_profiles.values.ids_by_name
}
