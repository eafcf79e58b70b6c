terraform {
  required_providers {
    assess = { source = "hashicorp/assess" }
  }
}

data "assess_position_results" "graduates" {
  position_id = "pos-graduates-2026"
}

output "csv" {
  value     = provider::assess::results_csv(data.assess_position_results.graduates)
  sensitive = true
}
