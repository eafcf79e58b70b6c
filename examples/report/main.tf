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

# Scores of different positions do not compare: each has a report of its own.

output "html" {
  description = "A page for each position, by its id."
  value       = { for title, r in data.assess_position_results.this : r.position_id => provider::assess::results_html(r.candidates, title) }
}

output "csv" {
  description = "A table for each position, by its id."
  value       = { for r in data.assess_position_results.this : r.position_id => provider::assess::results_csv(r.candidates) }
}

output "markdown" {
  description = "All positions, for a comment or the summary of a pipeline."
  value       = join("\n", [for title, r in data.assess_position_results.this : provider::assess::results_markdown(r.candidates, title)])
}

output "best" {
  description = "The candidates with the highest scores of each position."
  value = { for title, r in data.assess_position_results.this : title => [
    for c in slice(r.candidates, 0, min(var.best, length(r.candidates))) : "${c.name}: ${c.suitability}" if c.suitability != null
  ] }
}
