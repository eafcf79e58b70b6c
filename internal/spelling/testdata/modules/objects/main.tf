# Every argument is an optional attribute, two levels deep, and every dynamic block mentions all of its arguments.
variable "position_id" {
  type = string
}

variable "activations" {
  type    = map(string)
  default = {}
}

variable "assessments" {
  type = map(object({
    assessment         = string
    on_refused_removal = optional(string)
    packages           = optional(object({ ids = optional(set(string)), select = optional(string) }))
    benchmark          = optional(object({ id = optional(string) }))
    profile            = optional(object({ id = optional(string), on_supervisor_change = optional(string) }))
    tests              = optional(object({ ids = optional(set(string)) }))
  }))
}

resource "assess_position_assessment" "all" {
  for_each           = var.assessments
  position_id        = var.position_id
  assessment_id      = each.value.assessment
  on_refused_removal = each.value.on_refused_removal

  dynamic "packages" {
    for_each = each.value.packages[*]
    content {
      ids    = packages.value.ids
      select = packages.value.select
    }
  }
  dynamic "benchmark" {
    for_each = each.value.benchmark[*]
    content {
      id = benchmark.value.id
    }
  }
  dynamic "profile" {
    for_each = each.value.profile[*]
    content {
      id                   = profile.value.id
      on_supervisor_change = profile.value.on_supervisor_change
    }
  }
  dynamic "tests" {
    for_each = each.value.tests[*]
    content {
      ids = [for id in tests.value.ids : try(var.activations[id], id)]
    }
  }
}

output "ids" {
  value = { for key, attached in assess_position_assessment.all : key => attached.id }
}
