# Finds assessments that were attached by hand, which an apply does not. Only
# tests/checks.tftest.hcl requires this file.

# This data source is outside the check. Inside, OpenTofu would plan to read it in
# every run, and no plan would be without changes.
data "assess_position_assessments" "all" {
  position_id = data.assess_position.this.id

  lifecycle {
    precondition {
      condition     = length(setsubtract(var.unmanaged, data.assess_assessments.all.assessments[*].code)) == 0
      error_message = "${var.title}, unmanaged: no assessment has one of these codes."
    }
  }
}

data "assess_assessments" "all" {}

locals {
  attached = data.assess_position_assessments.all.assessments
  names    = { for a in data.assess_assessments.all.assessments : a.id => "${a.name} (${a.code})" }
  expected = concat(
    values(data.assess_assessment.this)[*].id,
    [for a in data.assess_assessments.all.assessments : a.id if contains(var.unmanaged, a.code)],
  )
}

# A failed check is only a warning. A person decides what to do about it.
check "attached_elsewhere" {
  assert {
    condition = length(setsubtract(local.attached[*].assessment_id, local.expected)) == 0
    error_message = join("\n", concat(
      ["${var.title} has assessments that the file does not name:"],
      [
        for a in local.attached : join("", [
          "  ${lookup(local.names, a.assessment_id, "retired assessment")}, ${a.assessment_id} ",
          "(import: ${data.assess_position.this.id}/${a.id})",
        ]) if !contains(local.expected, a.assessment_id)
      ],
      [join(" ", [
        "You do not have to do anything: they stay attached. If the file should manage one of them, add an entry with its",
        "code, and with its \"import: ...\" as a line of its own. If this message should not appear again, add the codes",
        "to the position, such as \"unmanaged: [TDL, KST]\".",
      ])],
    ))
  }

  assert {
    condition = length(distinct(local.attached[*].assessment_id)) == length(local.attached)
    error_message = join("\n", concat(
      ["${var.title} has the same assessment twice:"],
      [
        for a in local.attached : "  ${lookup(local.names, a.assessment_id, a.assessment_id)}, ${a.id}"
        if length([for b in local.attached : b if b.assessment_id == a.assessment_id]) > 1
      ],
      ["In the service, remove the one for which \"tofu state list -id=ID\" prints nothing."],
    ))
  }
}
