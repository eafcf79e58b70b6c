# Attaches the assessments that positions.csv lists.
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
  sandbox {} # remove this line to use the real service
}

module "positions" {
  source = "git::https://github.com/assessascode/terraform-provider-assess//modules/spreadsheet?ref=v0.1.0"

  file = "${path.root}/positions.csv"
}
