output "assessments" {
  description = "IDs of the assessments that have a row, by the ID of the position."
  value       = { for row in local.rows : row.position_id => row.assessment_id... if row.position_id != "" }
}
