# What is wrong with a row, in words for the people who edit the spreadsheet.

data "assess_positions" "all" {
  lifecycle {
    precondition {
      condition     = length(local.file_problems) == 0
      error_message = join("\n", local.file_problems)
    }
  }
}

locals {
  file_problems = !fileexists(var.file) ? ["${local.name} is not in this folder. Save it there as \"CSV UTF-8\"."] : (
    !can(file(var.file)) ? ["${local.name} is not UTF-8. Save the spreadsheet as \"CSV UTF-8\", as Excel calls it."] :
    slice(local.table_problems, 0, min(10, length(local.table_problems)))
  )
  table_problems = concat(
    [for column in local.required :
      "The first line of ${local.name} has no column \"${column}\". Add it, even if its cells are empty."
      if !contains(local.headings, column)
    ],
    [for column in local.columns :
      "The first line of ${local.name} has more than one column \"${column}\". Rename the others."
      if length([for heading in local.headings : heading if heading == column]) > 1
    ],
    [for i, cells in local.table : join(" ", [
      "Row ${i + 1} of ${local.name} has ${length(cells)} cell${length(cells) == 1 ? "" : "s"},",
      "but the first line has ${length(local.headings)}. Check for a missing or extra separator, or a title with a",
      "${ { "," = "comma", ";" = "semicolon", "\t" = "tab" }[local.separator]} that needs quotation marks.",
    ]) if join("", cells) != "" && (length(cells) > length(local.headings) || length(cells) < local.fewest[i])],
  )

  # Excel writes rows in blocks of 16, and omits the last columns if they are empty in the whole block. The headings are
  # in the first block, so its rows are complete. In a later block, a separator that is missing in the middle moves names
  # into wrong columns, and other messages report these names. But columns of your own accept all names, so put them last.
  fewest = [for i, cells in local.table : i < 16 || local.own_column_is_between ? length(local.headings) : 0]
  own_column_is_between = anytrue([for i, heading in local.headings :
    i < length(local.columns) && !contains(local.columns, heading)
  ])

  # People do not see the spaces around a title, and csv.tf removes them. So these titles omit them, too.
  titled = { for position in data.assess_positions.all.positions : trimspace(position.title) => position...
    if try(trimspace(position.title), "") != ""
  }
  same = { for line in local.lines : "${local.rows[line.key].position_id}: ${local.rows[line.key].assessment_id}" =>
    line.row... if local.rows[line.key].position_id != "" && local.rows[line.key].assessment_id != ""
  }

  # Titles with a common word are similar. Each title is searched once, because there can be thousands.
  words    = { for title in keys(local.titled) : title => regexall("[\\pL\\d]{4,}", lower(title)) }
  words_of = { for key, row in local.rows : key => regexall("[\\pL\\d]{4,}", lower(row.title)) }

  options = data.assess_assessment_options.of
  accepts = { for key, all in local.options : key => {
    for column, list in local.lists : column => try(keys(all[list]), []) # null if the service shows no list
  } }
  wrong_locales = { for key, row in local.rows : key => [
    for locale in compact(try(local.titled[row.title], [])[*].locale) : locale
    if row.locale != "" && lower(replace(locale, "_", "-")) != lower(replace(row.locale, "_", "-"))
  ] }
  facts = { for key, row in local.rows : key => {
    positions = try(local.titled[row.title], [])
    titles = [for title in can(local.titled[row.title]) ? [] : keys(local.titled) : title
      if length(local.titled) <= 20 || length(setintersection(local.words[title], local.words_of[key])) > 0
    ]
    same = try(local.same["${row.position_id}: ${row.assessment_id}"], row.rows)
    mandatory = try([for name, id in local.options[row.options].packages : name
      if contains(local.options[row.options].mandatory_package_ids, id) &&
      !contains(values(local.ids[key].packages), id)
    ], [])
    disabled = try(keys(local.options[row.options].disabled_skills_tests), [])
    accepts = { for column, list in local.lists : column => length(local.wrong_locales[key]) > 0 ? [] : try(concat(
      slice(local.accepts[row.options][column], 0, min(20, length(local.accepts[row.options][column]))),
      [for more in [length(local.accepts[row.options][column]) - 20] : "and ${more} more" if more > 0],
    ), []) }
    # Names of benchmarks depend on the locale, so they cannot be checked until the title is right.
    unknown = flatten([for column, ids in local.ids[key] : [
      for name, id in ids : { column = column, name = name }
      if id == "" && row.assessment_id != "" && length(local.wrong_locales[key]) == 0 &&
      (column != "benchmark" || row.position_id != "")
    ]])
  } }

  problems = { for key, row in local.rows : key => [for problem in concat(
    key != "" ? [] : ["The column \"key\" is empty. Write a short name into it, and never change it again."],
    length(row.rows) == 1 ? [] : [join(" ", [
      "These rows have the same key. Delete the copy.",
      "If it is for another position or assessment, give it a key of its own.",
    ])],
    local.facts[key].same[0] == row.rows[0] ? [] : [join(" ", [
      "Rows ${join(" and ", local.facts[key].same)} attach ${row.assessment} to the same position.",
      "Delete one of them.",
    ])],
    length(local.facts[key].positions) > 0 ? [] : [join(" ", [
      "No position has the title \"${row.title}\". If it was renamed, write the new title, and keep the key.",
      "If it was deleted, delete the row.",
      length(local.facts[key].titles) == 0 ? "No title is similar." : join("", [
        length(local.titled) <= 20 ? "The positions are: " : "Similar positions are: ",
        join("; ", slice(local.facts[key].titles, 0, min(20, length(local.facts[key].titles)))), ".",
      ]),
    ])],
    length(local.facts[key].positions) < 2 ? [] : [join(" ", [
      "${length(local.facts[key].positions)} positions have the title \"${row.title}\".",
      "Rename one of them in the service.",
    ])],
    [for locale in local.wrong_locales[key] : join(" ", [
      "The position \"${row.title}\" has the locale \"${locale}\", but the column \"locale\" has \"${row.locale}\".",
      "Correct the title, or leave the locale empty.",
    ])],
    row.assessment_id != "" ? [] : [length(lookup(local.named, row.assessment, [])) > 1 ? join(" ", [
      "${length(local.named[row.assessment])} assessments have the name \"${row.assessment}\".",
      "Write the code of the right one.",
      ]) : join(" ", [
      "No assessment has the name or code \"${row.assessment}\".",
      "The assessments are: ${join("; ", keys(local.ids_by_name))}.",
    ])],
    [for unknown in local.facts[key].unknown : join(" ", [
      "The column \"${unknown.column}\" has \"${unknown.name}\", which",
      contains(local.facts[key].disabled, unknown.name) ? "is not enabled for your organization." : "does not exist.",
      length(local.facts[key].accepts[unknown.column]) == 0 ? "For this position, ${row.assessment} has none." : join("", [
        "For this position, ${row.assessment} has: ", join("; ", local.facts[key].accepts[unknown.column]), ".",
      ]),
      contains(["packages", "tests"], unknown.column) ? "Write a vertical bar (|) between several names." : "",
    ])],
    [for column in ["benchmark", "profile"] :
      "The cell in the column \"${column}\" has ${length(local.ids[key][column])} names. Keep only one of them."
      if length(local.ids[key][column]) > 1
    ],
    [for name in local.facts[key].mandatory :
      "The column \"packages\" lacks \"${name}\", which is mandatory for ${row.assessment}. Add it."
    ],
    [for column in ["packages", "tests"] : join(" ", [
      "The column \"${column}\" is empty. Write at least one of these names into it, with a vertical bar (|)",
      "between several: ${join("; ", local.facts[key].accepts[column])}.",
    ]) if length(local.ids[key][column]) == 0 && length(local.facts[key].accepts[column]) > 0],
  ) : "${length(row.rows) == 1 ? "Row" : "Rows"} ${join(" and ", row.rows)} (${key == "" ? "no key" : key}): ${problem}${local.hidden[key]}"] }

  # A copied no-break space can be right, so only a row with a problem mentions it.
  hidden = { for key, row in local.rows : key => join("", [for column in local.columns :
    " The text in column \"${column}\" contains an unusual space or an invisible character. Type it again."
    if can(regex("[^\\PZ ]|\\p{Cf}", row[column]))
  ]) }
}
