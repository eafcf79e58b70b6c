# Tests on the sandbox, which answers as the real one does.

provider "assess" {
  sandbox {
    state_file = "assess-sandbox-module.json" # no other test file uses it
    limits     = false                        # saves time
  }
}

variables {
  position_title = "Backend Engineer, London"
}

run "attaches_all_packages" {
  assert {
    condition     = length(output.packages) == 4
    error_message = "The packages are ${jsonencode(output.packages)}."
  }
}

run "attaches_some_packages" {
  variables {
    packages = ["Problem solving", "Numerical reasoning"]
  }

  assert {
    condition     = output.packages == toset(["pkg-numerical-reasoning", "pkg-problem-solving"])
    error_message = "The packages are ${jsonencode(output.packages)}."
  }
}

run "refuses_an_unknown_package" {
  command = plan
  variables {
    packages = ["Problem solving", "Chess"]
  }
  expect_failures = [assess_position_assessment.games]
}
