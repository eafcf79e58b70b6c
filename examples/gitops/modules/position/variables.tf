variable "title" {
  description = "Title of the position, exactly as the service has it."
  type        = string
}

variable "assessments" {
  description = <<-TEXT
    The assessments of the position, everything called by its name. Each entry
    has its `code`, and what the assessment needs of: `packages` (names, or the
    word all or mandatory), `benchmark`, `profile`, `tests` (titles).
  TEXT
  type        = any # entries differ in what they have, as they do in YAML

  validation {
    condition     = can(var.assessments[*].code) && try(length(distinct(var.assessments[*].code)) == length(var.assessments), false)
    error_message = "Each assessment needs its code, and a position has each assessment once."
  }

  # An unknown key would be ignored, and with it what its author meant.
  validation {
    condition     = try(length(setsubtract(flatten([for a in var.assessments : keys(a)]), ["code", "packages", "benchmark", "profile", "tests"])) == 0, true)
    error_message = "Misspelt: ${join(", ", try(setsubtract(flatten([for a in var.assessments : keys(a)]), ["code", "packages", "benchmark", "profile", "tests"]), []))}. An assessment can have code, packages, benchmark, profile and tests."
  }

  validation {
    condition     = alltrue([for a in var.assessments : contains(["all", "mandatory"], a.packages) if can(tostring(a.packages))])
    error_message = "\"packages\" is a list of names, or one of the words all and mandatory."
  }
}

variable "enabled_tests" {
  description = "Ids of skills tests that the caller enables, by title: references to assess_skills_test_activation, so that the position waits for them."
  type        = map(string)
  default     = {}
}
