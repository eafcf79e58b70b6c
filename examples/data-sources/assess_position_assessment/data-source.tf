data "assess_position_assessment" "values" {
  position_id = "pos-graduates-2026" # a position assessment has no name
  id          = "pas-graduates-northlight"
}

output "profile" {
  value = data.assess_position_assessment.values.profile_status
}
