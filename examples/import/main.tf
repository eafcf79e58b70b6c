# Reads the assessments of a position that was set up without Terraform. It uses the
# sandbox, so it requires no account and no network. README.md explains the
# steps.

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

data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

data "assess_position_assessments" "graduates" {
  position_id = data.assess_position.graduates.id
}

output "attached" {
  description = "The assessments of the position, with their import IDs."
  value       = { for a in data.assess_position_assessments.graduates.assessments : a.assessment_id => "${a.position_id}/${a.id}" }
}
