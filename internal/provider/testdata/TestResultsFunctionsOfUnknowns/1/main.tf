terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

resource "terraform_data" "name" {
  input = "Ada Lovelace"
}

output "csv" {
  value = provider::assess::results_csv([{ name = terraform_data.name.output, suitability = 82.4 }])
}

output "title" {
  value = provider::assess::results_markdown([], terraform_data.name.output)
}
