# Every argument is an optional attribute of its own, and the resource has count.
variable "position_id" {
  type = string
}

variable "activations" {
  type    = map(string)
  default = {}
}

variable "assessments" {
  type = list(object({
    assessment           = string
    on_refused_removal   = optional(string)
    packages             = optional(list(string))
    select               = optional(string)
    benchmark            = optional(string)
    profile              = optional(string)
    on_supervisor_change = optional(string)
    tests                = optional(list(string), [])
  }))
  nullable = false
}

resource "assess_position_assessment" "all" {
  count              = length(var.assessments)
  position_id        = var.position_id
  assessment_id      = var.assessments[count.index].assessment
  on_refused_removal = var.assessments[count.index].on_refused_removal

  dynamic "packages" {
    for_each = var.assessments[count.index].packages == null && var.assessments[count.index].select == null ? [] : [1]
    content {
      ids    = var.assessments[count.index].packages
      select = var.assessments[count.index].select
    }
  }
  dynamic "benchmark" {
    for_each = toset(compact([var.assessments[count.index].benchmark]))
    content {
      id = benchmark.key
    }
  }
  dynamic "profile" {
    for_each = { for id in var.assessments[count.index].profile[*] : id => var.assessments[count.index].on_supervisor_change }
    content {
      id                   = profile.key
      on_supervisor_change = profile.value
    }
  }
  dynamic "tests" {
    for_each = length(var.assessments[count.index].tests) > 0 ? ["tests"] : []
    content {
      ids = [for id in var.assessments[count.index].tests : lookup(var.activations, id, id)]
    }
  }
}
