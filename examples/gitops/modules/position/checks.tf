# Finds what an apply would not: assessments that were attached by hand, and names that
# do not exist.

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
    error_message = join(" ", [
      "${var.title} has the same assessment twice.",
      "In the service, remove the one that is not in the output \"ids\" of this module.",
    ])
  }
}

# Writes an error for each package, benchmark, profile or test that does not exist.

locals {
  missing = { for a in var.assessments : a.code => flatten([
    for block, ids in local.ids[a.code] : [
      for name in setsubtract(try(a[block], null)[*], ["all", "mandatory"]) :
      { kind = trimsuffix(block, "s"), name = name, existing = keys(ids) }
      if !contains(keys(ids), name)
    ]
  ]) }

  # Suggests up to 10 names, the most similar ones first. Two words are similar if their first three
  # letters are equal. Each similar word lowers a digit before the name. For the missing name Finanzen,
  # "8 Finance" is sorted before "9 Engineers". After that, the digit is removed.
  suggested = { for code, missing in local.missing : code => [
    for m in missing : [
      for i, ranked in sort([
        for name in m.existing : format("%d %s", 9 - min(9, length(setintersection(
          [for word in split(" ", lower(name)) : substr(word, 0, 3)],
          [for word in split(" ", lower(m.name)) : substr(word, 0, 3)],
        ))), name)
      ]) : replace(ranked, "/^[0-9] /", "") if i < 10
    ]
  ] }

  mistakes = { for code, missing in local.missing : code => [
    for i, m in missing : join("", (
      contains(data.assess_assessment_options.this[code].ambiguous_names, m.name) ?
      ["more than one ${m.kind} has the name ${m.name}."] :
      [
        "there is no ${m.kind} ${m.name}. ",
        length(m.existing) == 0 ? "There is none." :
        length(m.existing) <= 10 ? "There are: ${join(", ", local.suggested[code][i])}." :
        "There are ${length(m.existing)}, such as: ${join(", ", local.suggested[code][i])}.",
      ]
    ))
  ] }
}
