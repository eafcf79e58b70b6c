# What is wrong with a row, in words for the people who edit positions.csv.

data "assess_positions" "all" {
  lifecycle {
    precondition {
      condition     = length(local.file_problems) == 0
      error_message = join("\n", local.file_problems)
    }
  }
}

locals {
  columns  = ["key", "title", "locale", "assessment", "packages", "benchmark", "profile", "tests"]
  empty    = { for column in local.columns : column => "" }
  headings = [for heading in split(",", split("\n", local.csv)[0]) : lower(trim(trimspace(heading), "\" "))]
  file_problems = !can(file("${path.module}/positions.csv")) ? [
    "positions.csv cannot be read as UTF-8. Save the spreadsheet as CSV in UTF-8 (in Excel, \"CSV UTF-8\")."
    ] : [for column in setsubtract(local.columns, local.headings) :
    "The first line of positions.csv has no column \"${column}\". Add it, even if its cells are empty."
  ]

  titled = { for position in data.assess_positions.all.positions : coalesce(position.title, "untitled") => position... }
  same   = { for row in local.rows : "${row.title}: ${row.assessment}" => row.rows... }

  options = data.assess_assessment_options.of
  accepts = { for key, all in local.options : key => {
    for column, list in local.lists : column => try(keys(all[list]), []) # null if the service shows no list
  } }
  wrong_locales = { for key, row in local.rows : key => [
    for locale in compact(try(local.titled[row.title], [])[*].locale) : locale
    if lower(replace(locale, "_", "-")) != lower(replace(row.locale, "_", "-"))
  ] }
  facts = { for key, row in local.rows : key => {
    positions = try(local.titled[row.title], [])
    titles = [for title in keys(local.titled) : title if length(local.titled) <= 20 || length(setintersection(
    regexall("[\\pL\\d]{4,}", lower(title)), regexall("[\\pL\\d]{4,}", lower(row.title)))) > 0] # a common word
    same     = flatten(local.same["${row.title}: ${row.assessment}"])
    disabled = try(keys(local.options[row.options].disabled_skills_tests), [])
    unknown = flatten([for column, ids in local.ids[key] : [for name, id in ids : {
      column  = column, name = name
      accepts = slice(local.accepts[row.options][column], 0, min(20, length(local.accepts[row.options][column])))
    } if id == "" && row.assessment_id != "" && length(local.wrong_locales[key]) == 0]])
  } }

  problems = { for key, row in local.rows : key => [for problem in concat(
    key != "" ? [] : ["The column \"key\" is empty. Write a short name into it, and never change it again."],
    length(row.rows) == 1 ? [] : ["These rows have the same key. Delete the copy, or give it a key of its own."],
    length(local.facts[key].same) == length(row.rows) ? [] : [join(" ", [
      "Rows ${join(" and ", local.facts[key].same)} attach ${row.assessment} to the same position.",
      "Delete one of them.",
    ])],
    length(local.facts[key].positions) > 0 ? [] : [join(" ", [
      "No position has the title \"${row.title}\". If it was renamed, write the new title, and keep the key.",
      length(local.facts[key].titles) == 0 ? "No title is similar." : join("", [
        length(local.titled) <= 20 ? "There are: " : "Similar: ",
        join("; ", slice(local.facts[key].titles, 0, min(20, length(local.facts[key].titles)))), ".",
      ]),
    ])],
    length(local.facts[key].positions) < 2 ? [] : [join(" ", [
      "${length(local.facts[key].positions)} positions have the title \"${row.title}\".",
      "Rename one of them in the service.",
    ])],
    [
      for locale in local.wrong_locales[key] :
      "The position has the locale \"${locale}\", not \"${row.locale}\"."
    ],
    row.assessment_id != "" ? [] : [join(" ", [
      "No assessment has the name or code \"${row.assessment}\".",
      "There are: ${join("; ", keys(local.codes))}.",
    ])],
    [for unknown in local.facts[key].unknown : join(" ", [
      "The column \"${unknown.column}\" has \"${unknown.name}\", which",
      contains(local.facts[key].disabled, unknown.name) ? "is not enabled for your organization." : "does not exist.",
      length(unknown.accepts) == 0 ? "For this position, ${row.assessment} has none." : join("", [
        "For this position, ${row.assessment} has: ", join("; ", unknown.accepts), ".",
      ]),
      contains(["packages", "tests"], unknown.column) ? "Write a vertical bar (|) between several names." : "",
    ])],
    length(local.ids[key].packages) > 0 || length(try(local.accepts[row.options].packages, [])) == 0 ? [] : [join(" ", [
      "The column \"packages\" is empty. Write at least one of these names into it, with a vertical bar (|)",
      "between several: ${join("; ", local.accepts[row.options].packages)}.",
    ])],
  ) : "${length(row.rows) == 1 ? "Row" : "Rows"} ${join(" and ", row.rows)} (${key == "" ? "no key" : key}): ${problem}"] }
}

# A plan shows under "Changes to Outputs" which rows were added, changed and deleted, in the words of positions.csv.
output "rows" {
  value = { for key, row in local.rows : key => "${row.assessment} for ${row.title}" }
}
