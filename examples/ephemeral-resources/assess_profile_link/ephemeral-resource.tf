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

# Writes the link to a file that only its owner can read. With privacy = "strict", the
# resource assess_position_assessment does not store it either.
resource "terraform_data" "link" {
  triggers_replace = [assess_position_assessment.preferences.id]

  provisioner "local-exec" {
    command     = "umask 077 && printf '%s\\n' \"$LINK\" > link.txt"
    environment = { LINK = ephemeral.assess_profile_link.preferences.url }
  }
}
