data "assess_assessments" "all" {}

output "assessments" {
  description = "Ids by code."
  value       = data.assess_assessments.all.ids_by_code
}
