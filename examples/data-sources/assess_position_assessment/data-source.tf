data "assess_position_assessment" "values" {
  position_id = "pos-backend-london"
  id          = "pas-0001"
}

output "profile" {
  value = data.assess_position_assessment.values.profile_status
}
