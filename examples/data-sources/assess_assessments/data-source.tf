data "assess_assessments" "all" {}

output "catalogue" {
  description = "Names by code."
  value       = { for a in data.assess_assessments.all.assessments : a.code => a.name }
}
