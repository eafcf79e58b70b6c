terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

output "markdown" {
  value = provider::assess::results_markdown([], "one", "two")
}
