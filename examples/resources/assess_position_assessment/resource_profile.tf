# A values inventory with an existing profile. If a supervisor replaces the profile
# in the service, the provider keeps the supervisor's profile. That is the default:
# on_supervisor_change = "keep".

resource "assess_position_assessment" "values" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"

  profile { id = "prf-curious-builders" }
}

# A work preferences profile that a supervisor completes. Anyone who has the link
# can complete it, so the link is sensitive.

resource "assess_position_assessment" "preferences" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-terrain"
}

output "for_the_supervisor" {
  value     = assess_position_assessment.preferences.profile_url
  sensitive = true
}
