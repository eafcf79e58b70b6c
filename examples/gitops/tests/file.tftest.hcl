# Tests of the whole configuration, on a sandbox.

provider "assess" {
  sandbox {
    state_file = "assess-sandbox-tests.json"
    limits     = false # saves time
  }
}

run "applies_the_file" {
  variables {
    file = "tests/files/positions.yaml"
  }

  assert {
    condition = output.positions == {
      "Backend Engineer, London" = {
        title       = "Backend Engineer, London"
        assessments = { QRT = "Quartet Games", WBN = "Workbench Skills" }
      }
      "Clientèle, Lyon" = {
        title       = "Chargé de clientèle, Lyon"
        assessments = { NLV = "Northlight Values Inventory" }
      }
    }
    error_message = "The positions have ${jsonencode(output.positions)}."
  }

  assert {
    condition     = assess_skills_test_activation.this["WBN/Rust Programming"].active
    error_message = "The skills test is not enabled."
  }

  assert {
    condition     = length(output.waiting_for_supervisor) == 0
    error_message = "A supervisor is asked to complete a profile, but a profile is attached."
  }
}

run "refuses_an_unknown_section" {
  command = plan
  variables {
    file = "tests/files/unknown.yaml"
  }
  expect_failures = [var.file]
}
