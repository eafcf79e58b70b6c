# What is wrong with an entry. All entries are checked, so that one plan shows all mistakes.

locals {
  options = data.assess_assessment_options.of

  named = { for key, a in var.assessments : key => {
    packages     = coalesce(a.packages, [])
    benchmarks   = a.benchmark[*]
    profiles     = a.profile[*]
    skills_tests = coalesce(a.tests, [])
  } }

  # The same assessment by its name and by its code.
  same = { for key, id in local.assessment_ids : id => key... if id != "" }

  problems = { for key, lists in local.named : key => concat(
    local.assessment_ids[key] != "" ? [] : [join(" ", [
      length(try(local.names[key], [])) > 1 ? "Several assessments have this name. Use the code." :
      "No assessment has this name or code.",
      "There are: ${join("; ", keys(local.names))}.",
    ])],
    try(local.same[local.assessment_ids[key]][0], key) == key ? [] : [
      "This is the same assessment as \"${local.same[local.assessment_ids[key]][0]}\". A position has it once."
    ],
    flatten([for list, names in lists : [for name in names : join(" ", [
      "There is no \"${name}\" in ${replace(list, "_", " ")}.",
      length(merge(local.options[key][list])) == 0 ? "There is none for this position." :
      "There are: ${join("; ", keys(local.options[key][list]))}.",
    ]) if !contains(keys(merge(local.options[key][list])), name)] if can(local.options[key])]),
  ) }
}
