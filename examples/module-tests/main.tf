# A module that attaches a multi-game assessment to a position. The tests in the folder tests
# need neither an account nor a network. README.md explains them.

terraform {
  required_version = ">= 1.9"

  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = "~> 0.1.0"
    }
  }
}

variable "position_title" {
  description = "Title of the position, exactly as in the service."
  type        = string
}

variable "packages" {
  description = "Names of the packages, or null for all."
  type        = set(string)
  default     = null
}

data "assess_position" "this" {
  title = var.position_title
}

data "assess_assessment" "games" {
  code = "QRT"
}

data "assess_assessment_options" "games" {
  assessment_id = data.assess_assessment.games.id
}

locals {
  offered = data.assess_assessment_options.games.packages
  unknown = var.packages == null ? [] : setsubtract(var.packages, keys(local.offered))
}

resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.this.id
  assessment_id = data.assess_assessment.games.id

  packages {
    select = var.packages == null ? "all" : null
    ids    = var.packages == null ? null : [for name in var.packages : lookup(local.offered, name, null)]
  }

  lifecycle {
    # A test can expect that this condition fails. It cannot expect an error of the provider.
    precondition {
      condition     = length(local.unknown) == 0
      error_message = "There is no package ${join(", ", local.unknown)}."
    }
  }
}

output "packages" {
  description = "IDs of the packages."
  value       = assess_position_assessment.games.packages.ids
}
