variable "title" {
  description = "Title of the position, exactly as in the service."
  type        = string
}

variable "assessments" {
  description = <<-TEXT
    The assessments of the position. Each entry has a `code`. Depending on the
    assessment, it also has `packages` (names, or all or mandatory), `benchmark`
    (name), `profile` (name) or `tests` (titles).
  TEXT
  type        = any # entries have different keys

  validation {
    condition = can(var.assessments[*].code) && try(
      length(distinct(var.assessments[*].code)) == length(var.assessments), false
    )
    error_message = "Each assessment requires a code, and a position can have each assessment only once."
  }

  # Without this check, an unknown key would be ignored.
  validation {
    condition = try(length(setsubtract(
      flatten([for a in var.assessments : keys(a)]),
      ["code", "packages", "benchmark", "profile", "tests"]
    )) == 0, true)
    error_message = join("", [
      "Unknown keys: ${join(", ", try(setsubtract(
        flatten([for a in var.assessments : keys(a)]),
        ["code", "packages", "benchmark", "profile", "tests"]
      ), []))}. ",
      "An assessment can have code, packages, benchmark, profile and tests.",
    ])
  }

  validation {
    condition = alltrue([
      for a in var.assessments : contains(["all", "mandatory"], a.packages) if can(tostring(a.packages))
    ])
    error_message = "Set \"packages\" to a list of names, or to all or mandatory."
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
