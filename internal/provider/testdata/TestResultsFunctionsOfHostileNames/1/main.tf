terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

locals {
  # This is a tuple: its elements have different types, and some attributes are null.
  candidates = [
    { name = "<script>alert(1)</script>", suitability = 82.4, results = null },
    { name = "=HYPERLINK(\"http://evil.example\")", suitability = 80, results = [] },
    { name = "a|b\n`c`", suitability = null },
    { name = "محمد بن موسى الخوارزمي", suitability = -1.5, results = [{ assessment_id = "x", percentile = 12.25 }, null] },
    { name = join("", [for i in range(200) : "w"]) },
    null,
  ]
}

output "html" {
  value = provider::assess::results_html(local.candidates, "A & B")
}

output "csv" {
  value = provider::assess::results_csv(local.candidates)
}

output "markdown" {
  value = provider::assess::results_markdown(local.candidates, "A & B")
}
