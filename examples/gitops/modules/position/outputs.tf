output "id" {
  description = "Id of the position."
  value       = data.assess_position.this.id
}

output "ids" {
  description = "Ids of the position's assessments that this module manages, by code."
  value       = { for code, a in assess_position_assessment.this : code => a.id }
}

output "names" {
  description = "Names of the assessments, by code."
  value       = { for code, a in data.assess_assessment.this : code => a.name }
}

output "waiting_for_supervisor" {
  description = "Addresses at which a supervisor completes a profile, by code."
  value       = { for code in local.waiting : code => assess_position_assessment.this[code].profile_url }
  sensitive   = true
}
