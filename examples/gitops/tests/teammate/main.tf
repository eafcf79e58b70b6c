# Attaches an assessment that the file does not name, like a teammate who uses the
# service directly.

terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
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
