# Tests of the module. It finds IDs by name, and refuses mistakes.

provider "assess" {
  sandbox {
    state_file = "assess-sandbox-tests.json"
    limits     = false # saves time
  }
}

variables {
  title = "Customer Support Adviser, Leeds"
  assessments = [
    { code = "LMN", benchmark = "Graduates" },
    { code = "TDL", benchmark = "Customer service" },
    { code = "WBN", tests = ["Customer Service Situations", "Telephone Etiquette"] },
  ]
}

run "finds_ids_by_name" {
  module {
    source = "./modules/position"
  }

  assert {
    condition     = assess_position_assessment.this["LMN"].benchmark.id == "bmk-lumen-graduates-en-gb"
    error_message = "The benchmark is ${assess_position_assessment.this["LMN"].benchmark.id}. It does not have the language of the position."
  }

  assert {
    condition     = assess_position_assessment.this["WBN"].tests.ids == toset(["skt-customer-service", "skt-telephone"])
    error_message = "The tests are ${jsonencode(assess_position_assessment.this["WBN"].tests.ids)}."
  }
}

run "refuses_an_unknown_key" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    assessments = [{ code = "LMN", benchmrk = "Graduates" }]
  }
  expect_failures = [var.assessments]
}

run "refuses_an_assessment_twice" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    assessments = [{ code = "LMN" }, { code = "LMN", benchmark = "Graduates" }]
  }
  expect_failures = [var.assessments]
}

run "refuses_an_unknown_selection_of_packages" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    assessments = [{ code = "QRT", packages = "everything" }]
  }
  expect_failures = [var.assessments]
}

run "refuses_a_supervisor_change_without_a_profile" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    assessments = [{ code = "NLV", on_supervisor_change = "reattach" }]
  }
  expect_failures = [var.assessments]
}

run "discards_the_profile_of_a_supervisor" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    title       = "Offshore Technician, Aberdeen"
    assessments = [{ code = "NLV", profile = "Curious builders", on_supervisor_change = "reattach" }]
  }

  assert {
    condition     = assess_position_assessment.this["NLV"].profile.on_supervisor_change == "reattach"
    error_message = "The profile is ${jsonencode(assess_position_assessment.this["NLV"].profile)}."
  }
}

run "refuses_an_unknown_benchmark" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    title       = "Offshore Technician, Aberdeen"
    assessments = [{ code = "LMN", benchmark = "Astronauts" }]
  }
  expect_failures = [assess_position_assessment.this["LMN"]]
}

run "refuses_a_mistake_in_the_file" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    mistakes = ["Unknown key titel."]
  }
  expect_failures = [var.mistakes]
}
