# Tests without a provider, for what the module itself computes.

mock_provider "assess" {
  mock_data "assess_assessment_options" {
    defaults = {
      packages = { "Problem solving" = "pkg-1", "Numerical reasoning" = "pkg-2" }
    }
  }

  # Mocks know no defaults. Without these lines, the attribute has a random value.
  mock_resource "assess_position_assessment" {
    defaults = {
      on_refused_removal = "fail"
    }
  }
}

variables {
  position_title = "Any position"
  packages       = ["Problem solving", "Numerical reasoning"]
}

run "finds_packages_by_name" {
  assert {
    condition     = output.packages == toset(["pkg-1", "pkg-2"])
    error_message = "The packages are ${jsonencode(output.packages)}."
  }

  assert {
    condition     = assess_position_assessment.games.on_refused_removal == "fail"
    error_message = "It is ${assess_position_assessment.games.on_refused_removal}."
  }
}

run "refuses_an_unknown_package" {
  command = plan
  variables {
    packages = ["Chess"]
  }
  expect_failures = [assess_position_assessment.games]
}
