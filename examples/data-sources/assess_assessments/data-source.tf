data "assess_assessments" "all" {}

output "assessments" {
  description = "IDs of assessments, by code."
  value       = data.assess_assessments.all.ids_by_code
}
