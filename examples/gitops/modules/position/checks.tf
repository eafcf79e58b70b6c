# Checks warn and stop nothing: what they report happened outside this
# repository, and a person has to decide about it.

# Outside the check, because a data source inside it makes every plan look as if
# there were something to do.
data "assess_position_assessments" "all" {
  position_id = data.assess_position.this.id
}

data "assess_assessments" "all" {}

locals {
  names = { for a in data.assess_assessments.all.assessments : a.id => a.name }
}

check "attached_elsewhere" {
  assert {
    condition = length(setsubtract(
      data.assess_position_assessments.all.assessments[*].assessment_id,
      values(data.assess_assessment.this)[*].id
    )) == 0
    error_message = join("\n", concat(
      ["${var.title} has assessments that the file does not name:"],
      [for a in data.assess_position_assessments.all.assessments : "  ${lookup(local.names, a.assessment_id, "an assessment that was retired")}, ${a.assessment_id} (to import: ${data.assess_position.this.id}/${a.id})"
      if !contains(values(data.assess_assessment.this)[*].id, a.assessment_id)],
      ["Where this plan removes them, that is all right. Otherwise somebody has attached them elsewhere: add them to the file and import them, or remove them in the service."],
    ))
  }

  assert {
    condition     = length(distinct(data.assess_position_assessments.all.assessments[*].assessment_id)) == length(data.assess_position_assessments.all.assessments)
    error_message = "${var.title} has an assessment twice. Remove the one that this repository does not manage: its ids are the output \"ids\" of the module."
  }
}

check "profiles_completed" {
  assert {
    condition     = length(local.waiting) == 0
    error_message = "${var.title}: a supervisor has not completed the profile of ${join(", ", local.waiting)} yet. The output \"waiting_for_supervisor\" has the address."
  }
}

locals {
  waiting = [for code, a in assess_position_assessment.this : code if a.profile_status == "SUPERVISOR_TO_COMPLETE"]
}
