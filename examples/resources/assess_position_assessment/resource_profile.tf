# A values inventory with an existing profile.

data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_assessment" "values" {
  code = "NLV"
}

data "assess_profile" "builders" {
  assessment_id = data.assess_assessment.values.id
  name          = "Curious builders"
}

resource "assess_position_assessment" "values" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.values.id

  profile { id = data.assess_profile.builders.id }
}

# A work preferences questionnaire, whose profile a supervisor completes.

data "assess_assessment" "preferences" {
  code = "TRN"
}

resource "assess_position_assessment" "preferences" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.preferences.id
}

output "for_the_supervisor" {
  value     = assess_position_assessment.preferences.profile_url
  sensitive = true
}
