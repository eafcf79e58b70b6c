# Results of positions as ranked reports, on the embedded service: no account, no
# network. README.md says what to change for the real one.

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
  names = { for a in data.assess_assessments.all.assessments : a.id => a.name }

  # Candidates by the title of the position; assessments by their names, where the
  # service gives ids.
  candidates = { for title, p in data.assess_position_results.this : title => [
    for c in p.candidates : merge(c, {
      results = [for r in c.results : merge(r, { assessment_id = lookup(local.names, r.assessment_id, r.assessment_id) })]
    })
  ] }
}

# Scores of different positions do not compare: each has a report of its own.

output "html" {
  description = "A page for each position, by its id."
  value       = { for title, c in local.candidates : data.assess_position.this[title].id => provider::assess::results_html(c, title) }
  sensitive   = true # not printed; tofu output -json html still gives it
}

output "csv" {
  description = "A table for each position, by its id."
  value       = { for title, c in local.candidates : data.assess_position.this[title].id => provider::assess::results_csv(c) }
  sensitive   = true # not printed; tofu output -json csv still gives it
}

output "markdown" {
  description = "All positions, for a comment or the summary of a pipeline."
  value       = join("\n", [for title, c in local.candidates : provider::assess::results_markdown(c, title)])
  sensitive   = true # not printed; tofu output -raw markdown still gives it
}

output "best" {
  description = "The candidates with the highest scores of each position."
  value = { for title, r in data.assess_position_results.this : title => [
    for c in slice(r.candidates, 0, min(var.best, length(r.candidates))) : "${c.name}: ${c.suitability}" if c.suitability != null
  ] }
  sensitive = true # not printed; tofu output -json best still gives it
}
