terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

output "html" {
  value = provider::assess::results_html([{ name = "Ada" }, { name = "Grace", suitability = "high" }])
}
