output "id" {
  description = "ID of the position."
  value       = data.assess_position.this.id
}

output "ids" {
  description = "IDs of the position assessments that this module manages, by code."
  value       = { for code, a in assess_position_assessment.this : code => a.id }
}

output "names" {
  description = "Names of the assessments, by code."
  value       = { for code, a in data.assess_assessment.this : code => a.name }
}

output "waiting_for_supervisor" {
  description = "Links at which supervisors complete profiles, by code."
  value       = { for code in local.waiting : code => assess_position_assessment.this[code].profile_url }
  sensitive   = true
}
