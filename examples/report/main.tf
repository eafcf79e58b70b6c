# Writes a report about the candidates of each position, with a ranking. It uses the
# sandbox, so it requires no account. README.md says what to change for a real
# service.

terraform {
  required_version = ">= 1.9"

  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = "~> 0.1.0"
    }
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
  description = "Number of candidates to show for each position in the output \"best\"."
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

# The names of the benchmarks, because a percentile says nothing without its comparison group.

data "assess_position_assessments" "this" {
  for_each    = data.assess_position.this
  position_id = each.value.id
}

locals {
  # For each position, the ID of the benchmark of each assessment.
  benchmarks = { for title, attached in data.assess_position_assessments.this : title => {
    for a in attached.assessments : a.assessment_id => a.benchmark.id if a.benchmark != null
  } }
}

data "assess_benchmarks" "each" {
  for_each      = toset(flatten([for ids in local.benchmarks : keys(ids)]))
  assessment_id = each.key
}

locals {
  candidates = { for title, results in data.assess_position_results.this : title => results.candidates }

  benchmark_names = { for title, ids in local.benchmarks : title => {
    for assessment, id in ids : assessment => one([for b in data.assess_benchmarks.each[assessment].benchmarks : b.name if b.id == id])
  } }

  # Options of all reports.
  options = {
    assessment_names = { for a in data.assess_assessments.all.assessments : a.id => a.name }
    language         = var.language
    anonymous        = var.anonymous
    date             = formatdate("YYYY-MM-DD", plantimestamp())
    source           = "the sandbox: invented people"
    excel            = true # for CSV
  }
}

# Each position has its own report, because you cannot compare scores of different positions.

output "html" {
  description = "HTML page of each position, by the ID of the position."
  value = {
    for title, c in local.candidates : data.assess_position.this[title].id =>
    provider::assess::results_html(c, merge(local.options, { title = title, benchmark_names = local.benchmark_names[title] }))
  }
  sensitive = true # hidden in the terminal, but "tofu output -json html" prints it
}

output "csv" {
  description = "CSV table of each position for Excel, by the ID of the position."
  value = {
    for title, c in local.candidates : data.assess_position.this[title].id =>
    provider::assess::results_csv(c, merge(local.options, { benchmark_names = local.benchmark_names[title] }))
  }
  sensitive = true # hidden in the terminal, but "tofu output -json csv" prints it
}

output "markdown" {
  description = "Markdown for a comment: the first ten candidates of each position, without names."
  value = join("\n", [
    for title, c in local.candidates :
    provider::assess::results_markdown(c, merge(local.options, {
      title = title, benchmark_names = local.benchmark_names[title], top = 10, anonymous = true
    }))
  ])
  sensitive = true # hidden in the terminal, but "tofu output -raw markdown" prints it
}

output "best" {
  description = "Candidates with the highest scores, by the title of the position."
  value = { for title, r in data.assess_position_results.this : title => [
    for c in slice(r.candidates, 0, min(var.best, length(r.candidates))) : "${c.name}: ${c.suitability}" if c.suitability != null
  ] }
  sensitive = true # hidden in the terminal, but "tofu output -json best" prints it
}
