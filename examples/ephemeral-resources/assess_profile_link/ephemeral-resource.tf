data "assess_position" "backend" {
  title = "Backend Engineer, London"
}

data "assess_assessment" "preferences" {
  code = "TRN"
}

resource "assess_position_assessment" "preferences" {
  position_id   = data.assess_position.backend.id
  assessment_id = data.assess_assessment.preferences.id
}

ephemeral "assess_profile_link" "preferences" {
  position_id = assess_position_assessment.preferences.position_id
  id          = assess_position_assessment.preferences.id
}

# Writes the link for the supervisor to a file, once for each new position assessment.
# Only the owner of the file can read it. The resource assess_position_assessment also
# stores the link, as profile_url. To keep it out of plans and states, set
# privacy = "strict" in the provider configuration.
resource "terraform_data" "link" {
  triggers_replace = [assess_position_assessment.preferences.id]

  provisioner "local-exec" {
    command     = "umask 077 && printf '%s\\n' \"$LINK\" > link.txt"
    environment = { LINK = ephemeral.assess_profile_link.preferences.url }
  }
}
