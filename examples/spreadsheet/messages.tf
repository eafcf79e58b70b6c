# What is wrong with a row, in words for the people who edit positions.csv.

data "assess_position_assessments" "now" {
  for_each    = toset(compact(values(local.rows)[*].position_id))
  position_id = each.key
}

locals {
  titled = { for position in data.assess_positions.all.positions : coalesce(position.title, "untitled") => position... }
  same   = { for row in local.rows : "${row.title}: ${row.assessment}" => row.rows... }

  options = data.assess_assessment_options.of
  accepts = { for key, all in local.options : key => {
    for column, list in local.lists : column => try(keys(all[list]), []) # null if the service shows no list
  } }
  facts = { for key, row in local.rows : key => {
    positions = try(local.titled[row.title], [])
    similar   = [for title in keys(local.titled) : title if startswith(lower(title), lower(split(" ", row.title)[0]))]
    same      = flatten(local.same["${row.title}: ${row.assessment}"])
    disabled  = try(keys(local.options[row.options].disabled_skills_tests), [])
    unknown = flatten([for column, ids in local.ids[key] : [for name, id in ids : {
      column  = column, name = name
      accepts = slice(local.accepts[row.options][column], 0, min(20, length(local.accepts[row.options][column])))
    } if id == "" && row.assessment_id != ""]])
  } }

  problems = { for key, row in local.rows : key => [for problem in concat(
    key != "" ? [] : ["The column \"key\" is empty. Write a short name into it, and never change it again."],
    length(row.rows) == 1 ? [] : ["These rows have the same key. Delete the copy, or give it a key of its own."],
    length(local.facts[key].same) == length(row.rows) ? [] : [join(" ", [
      "The rows ${join(" and ", local.facts[key].same)} attach ${row.assessment} to the same position.",
      "Delete one of them.",
    ])],
    length(local.facts[key].positions) > 0 ? [] : [join(" ", [
      "No position has the title \"${row.title}\". If it was renamed, write the new title, and keep the key.",
      "Similar: ${join("; ", coalescelist(local.facts[key].similar, ["none"]))}.",
    ])],
    length(local.facts[key].positions) < 2 ? [] : [join(" ", [
      "${length(local.facts[key].positions)} positions have the title \"${row.title}\".",
      "Rename one of them in the service.",
    ])],
    [
      for locale in compact(local.facts[key].positions[*].locale) :
      "The position has the locale \"${locale}\", not \"${row.locale}\"."
      if lower(replace(locale, "_", "-")) != lower(replace(row.locale, "_", "-"))
    ],
    row.assessment_id != "" ? [] : [join(" ", [
      "No assessment has the name or code \"${row.assessment}\".",
      "There are: ${join("; ", keys(local.codes))}.",
    ])],
    [for unknown in local.facts[key].unknown : join(" ", [
      "The column \"${unknown.column}\" has \"${unknown.name}\", which",
      contains(local.facts[key].disabled, unknown.name) ? "is not enabled for your organization." : "does not exist.",
      "${row.assessment} has for this position: ${join("; ", coalescelist(unknown.accepts, ["none"]))}.",
    ])],
  ) : "Row ${join(" and ", row.rows)} (${key}): ${problem}"] }

  listed = toset([for row in local.rows : "${row.position_id}/${row.assessment_id}"])
  names  = { for name, id in local.codes : id => name }
  unlisted = flatten([for title, positions in local.titled : [for position in positions : [
    for attached in try(data.assess_position_assessments.now[position.id].assessments, []) :
    "${lookup(local.names, attached.assessment_id, attached.assessment_id)} of ${title}"
    if !contains(local.listed, "${position.id}/${attached.assessment_id}")
  ]]])
}

check "rows" {
  assert {
    condition = length(local.unlisted) == 0 || length(flatten(values(local.problems))) > 0
    error_message = join(" ", [
      "In no row of positions.csv, but attached: ${join("; ", local.unlisted)}.",
      "If you deleted the row, an apply removes the assessment from the position.",
      "If that is a mistake, put the row back with the same key.",
    ])
  }
}
