data "assess_position_assessment" "values" {
  position_id = "pos-graduates-2026"
  id          = "pas-graduates-northlight"
}

output "profile" {
  value = data.assess_position_assessment.values.profile_status
}
