# A values inventory with an existing profile. Should a supervisor replace it in
# the service, their work stays: on_supervisor_change = "keep" is the default.

resource "assess_position_assessment" "values" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"

  profile { id = "prf-curious-builders" }
}

# A work preferences profile that a supervisor is to complete. Whoever has the
# address can do so, hence it is sensitive.

resource "assess_position_assessment" "preferences" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-terrain"
}

output "for_the_supervisor" {
  value     = assess_position_assessment.preferences.profile_url
  sensitive = true
}
