data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_assessment" "values" {
  code = "NLV"
}

data "assess_profile" "builders" {
  assessment_id = data.assess_assessment.values.id
  name          = "Curious builders" # or id
}

resource "assess_position_assessment" "values" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.values.id

  profile { id = data.assess_profile.builders.id }
}
