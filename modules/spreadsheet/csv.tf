# Reads the spreadsheet. Programs separate the cells with commas, semicolons or tabs, and may begin the file with a byte
# order mark or "sep=;". csvdecode would read only commas, and would print the file if a row has a cell too many.

locals {
  required  = ["key", "title", "assessment", "packages", "benchmark", "profile", "tests"]
  columns   = concat(local.required, ["locale"])
  name      = basename(var.file)
  text      = replace(trimprefix(try(file(var.file), ""), "\ufeff"), "/\\r\\n?/", "\n")
  separator = try(regex("^(?:\"[^\"]*\"|[^\",;\\t\\n]*)([,;\\t])", local.text)[0], ",")

  # A quoted cell may contain separators, quotation marks and line breaks. After this, each cell ends with U+001F, and
  # a line break follows only the last one of a row.
  cell  = "/ *(?:\"\\s*((?:[^\"]|\"\")*)\" *|([^${local.separator}\\n]*))(?:${local.separator}|(\\n))/"
  cells = replace("${trimprefix(local.text, "sep=${local.separator}\n")}\n", local.cell, "$1$2\u001f$3")
  table = [for row in split("\u001f\n", local.cells) : [
    for cell in split("\u001f", row) : trimspace(replace(cell, "\"\"", "\""))
  ]]
  headings = [for heading in local.table[0] : lower(heading)]
  lines = [for i, cells in local.table : merge({ row = i + 1 }, {
    for column in local.columns : column => try(cells[index(local.headings, column)], "")
  }) if i > 0 && join("", cells) != ""]
}
