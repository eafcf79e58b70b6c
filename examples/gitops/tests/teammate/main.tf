# Attaches an assessment that is not in the file. The tests use it to simulate a
# teammate who attaches an assessment in the service.

terraform {
  required_version = ">= 1.9"

  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = ">= 0.1.0"
    }
  }
}

variable "title" {
  type = string
}

data "assess_position" "this" {
  title = var.title
}

data "assess_assessment" "other" {
  code = "FCT"
}

resource "assess_position_assessment" "other" {
  position_id   = data.assess_position.this.id
  assessment_id = data.assess_assessment.other.id
}
