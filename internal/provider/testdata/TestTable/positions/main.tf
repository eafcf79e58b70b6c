variable "assessments" {
  type = map(object({
    position   = string
    assessment = string
    packages   = optional(set(string))
    benchmark  = optional(string)
    profile    = optional(string)
    tests      = optional(set(string))
  }))
}

variable "activations" {
  type = map(string)
}

resource "assess_position_assessment" "all" {
  for_each      = var.assessments
  position_id   = each.value.position
  assessment_id = each.value.assessment

  dynamic "packages" {
    for_each = each.value.packages == null ? [] : [each.value.packages]
    content {
      ids = packages.value
    }
  }
  dynamic "benchmark" {
    for_each = each.value.benchmark[*]
    content {
      id = benchmark.value
    }
  }
  dynamic "profile" {
    for_each = each.value.profile[*]
    content {
      id = profile.value
    }
  }
  dynamic "tests" {
    for_each = each.value.tests == null ? [] : [each.value.tests]
    content {
      ids = [for id in tests.value : lookup(var.activations, id, id)]
    }
  }
}
