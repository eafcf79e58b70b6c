output "position_id" {
  description = "ID of the position."
  value       = data.assess_position.this.id
}

output "ids" {
  description = "IDs of the position assessments, by the name or code of the assessment."
  value       = { for key, a in assess_position_assessment.this : key => a.id }
}
