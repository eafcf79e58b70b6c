# A failed check is only a warning. A person decides what to do about it.

# This data source is outside the check. Inside, OpenTofu would plan to read it in
# every run, and no plan would be without changes.
data "assess_position_assessments" "all" {
  position_id = data.assess_position.this.id
}

data "assess_assessments" "all" {}

locals {
  names    = { for a in data.assess_assessments.all.assessments : a.id => a.name }
  attached = data.assess_position_assessments.all.assessments
}

check "attached_elsewhere" {
  assert {
    condition = length(setsubtract(
      local.attached[*].assessment_id,
      values(data.assess_assessment.this)[*].id
    )) == 0
    error_message = join("\n", concat(
      ["${var.title} has assessments that the file does not name:"],
      [
        for a in local.attached : join("", [
          "  ${lookup(local.names, a.assessment_id, "retired assessment")}, ${a.assessment_id} ",
          "(to import: ${data.assess_position.this.id}/${a.id})",
        ]) if !contains(values(data.assess_assessment.this)[*].id, a.assessment_id)
      ],
      [join(" ", [
        "If this plan removes them, you do not have to do anything.",
        "Otherwise they were attached outside this repository.",
        "Add them to the file and import them, or remove them in the service.",
      ])],
    ))
  }

  assert {
    condition = length(distinct(local.attached[*].assessment_id)) == length(local.attached)
    error_message = join(" ", [
      "${var.title} has the same assessment twice.",
      "In the service, remove the one that is not in the output \"ids\" of this module.",
    ])
  }
}

check "profiles_completed" {
  assert {
    condition = length(local.waiting) == 0
    error_message = join(" ", [
      "${var.title}: a supervisor has not completed the profile of ${join(", ", local.waiting)} yet.",
      "Send the link in the output \"waiting_for_supervisor\" to the supervisor.",
    ])
  }
}

locals {
  waiting = [for code, a in assess_position_assessment.this : code if a.profile_status == "SUPERVISOR_TO_COMPLETE"]
}
