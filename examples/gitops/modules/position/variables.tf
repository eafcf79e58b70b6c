variable "title" {
  description = "Title of the position, exactly as in the service."
  type        = string
}

variable "assessments" {
  description = <<-TEXT
    The assessments of the position. Each entry has a `code`. Depending on the
    assessment, it also has `packages` (names, or all or mandatory), `benchmark`
    (name), `profile` (name, with `on_supervisor_change`) or `tests` (titles).
  TEXT
  type        = any # entries have different keys

  validation {
    condition     = can(var.assessments[*].code) && try(length(distinct(var.assessments[*].code)) == length(var.assessments), false)
    error_message = "${var.title}: each assessment requires a code, and a position can have each assessment only once."
  }

  # Without this check, an unknown key would be ignored.
  validation {
    condition = alltrue([for a in var.assessments : length(setsubtract(keys(a),
    ["code", "packages", "benchmark", "profile", "on_supervisor_change", "tests", "import"])) == 0])
    error_message = join("\n", [for a in var.assessments : join("", [
      "${var.title}, ${try(a.code, "?")}: unknown keys: ",
      join(", ", setsubtract(keys(a), ["code", "packages", "benchmark", "profile", "on_supervisor_change", "tests", "import"])),
      ". An assessment can have code, packages, benchmark, profile, on_supervisor_change, tests and import.",
      ]) if length(setsubtract(keys(a), ["code", "packages", "benchmark", "profile", "on_supervisor_change", "tests", "import"])) > 0
    ])
  }

  validation {
    condition = alltrue([for a in var.assessments :
    try(contains(["keep", "reattach"], a.on_supervisor_change), false) && can(tostring(a.profile)) if can(a.on_supervisor_change)])
    error_message = "${var.title}: set \"on_supervisor_change\" to keep or reattach, beside a \"profile\"."
  }

  validation {
    condition = alltrue([
      for a in var.assessments : try(contains(["all", "mandatory"], a.packages), false) if can(tostring(a.packages))
    ])
    error_message = "${var.title}: set \"packages\" to a list of names, or to all or mandatory."
  }
}

variable "unmanaged" {
  description = <<-TEXT
    Codes of assessments that stay attached, although `assessments` does not contain
    them. The check for assessments that were attached by hand ignores them.
  TEXT
  type        = list(string)
  default     = []

  validation {
    condition     = length(setintersection(var.unmanaged, [for a in var.assessments : try(a.code, "")])) == 0
    error_message = "${var.title}: an assessment is either under \"assessments\" or under \"unmanaged\"."
  }
}

variable "enabled_tests" {
  description = <<-TEXT
    IDs of skills tests that the caller enables, by title. Refer to
    assess_skills_test_activation, so that the tests are enabled first.
  TEXT
  type        = map(string)
  default     = {}
}

variable "mistakes" {
  description = "What is wrong with the entry of the position in the file."
  type        = list(string)
  default     = []

  validation {
    condition     = length(var.mistakes) == 0
    error_message = join("\n", [for m in var.mistakes : "${var.title}: ${m}"])
  }
}
