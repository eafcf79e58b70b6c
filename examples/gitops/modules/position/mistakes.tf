# Writes an error for each package, benchmark, profile or test that does not exist.

locals {
  missing = { for a in var.assessments : a.code => flatten([
    for block, ids in local.ids[a.code] : [
      for name in setsubtract(try(a[block], null)[*], block == "packages" && can(tostring(a.packages)) ? ["all", "mandatory"] : []) :
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
