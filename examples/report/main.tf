# Results of positions as ranked reports, on the embedded service: no account, no
# network. README.md says what to change for a real service.

terraform {
  required_version = ">= 1.12"

  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

provider "assess" {
  sandbox {}
}

variable "positions" {
  description = "Titles of the positions to report on."
  type        = set(string)
  default     = ["Graduate Programme 2026", "Backend Engineer, London"]
}

variable "language" {
  description = "Language of the reports: en, de or fr."
  type        = string
  default     = "en"
}

variable "anonymous" {
  description = "Whether the reports show pseudonyms instead of names."
  type        = bool
  default     = false
}

variable "best" {
  description = "How many candidates the output \"best\" names for each position."
  type        = number
  default     = 3
}

data "assess_position" "this" {
  for_each = var.positions
  title    = each.key
}

data "assess_position_results" "this" {
  for_each    = data.assess_position.this
  position_id = each.value.id
}

data "assess_assessments" "all" {}

locals {
  candidates = { for title, results in data.assess_position_results.this : title => results.candidates }

  # What the reports show besides the results.
  options = {
    assessment_names = { for a in data.assess_assessments.all.assessments : a.id => a.name }
    language         = var.language
    anonymous        = var.anonymous
    date             = formatdate("YYYY-MM-DD", plantimestamp())
    source           = "the embedded service: invented people"
    excel            = true # for CSV
  }
}

# Scores of different positions do not compare, so each position has its own report.

output "html" {
  description = "A page for each position, by position id."
  value = {
    for title, c in local.candidates : data.assess_position.this[title].id =>
    provider::assess::results_html(c, merge(local.options, { title = title }))
  }
  sensitive = true # not printed; tofu output -json html still prints it
}

output "csv" {
  description = "A table for Excel for each position, by position id."
  value = {
    for title, c in local.candidates : data.assess_position.this[title].id =>
    provider::assess::results_csv(c, local.options)
  }
  sensitive = true # not printed; tofu output -json csv still prints it
}

output "markdown" {
  description = "All positions, for a comment or the summary of a pipeline: the best candidates, without names."
  value = join("\n", [
    for title, c in local.candidates :
    provider::assess::results_markdown(c, merge(local.options, { title = title, top = 10, anonymous = true }))
  ])
  sensitive = true # not printed; tofu output -raw markdown still prints it
}

output "best" {
  description = "The candidates with the highest scores of each position."
  value = { for title, r in data.assess_position_results.this : title => [
    for c in slice(r.candidates, 0, min(var.best, length(r.candidates))) : "${c.name}: ${c.suitability}" if c.suitability != null
  ] }
  sensitive = true # not printed; tofu output -json best still prints it
}
