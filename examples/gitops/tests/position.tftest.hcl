# The module alone: names become ids, mistakes are found, and what happens outside
# the repository is reported.

provider "assess" {
  sandbox { state_file = ".terraform/assess-sandbox-tests.json" }
}

variables {
  title = "Customer Support Adviser, Leeds"
  assessments = [
    { code = "LMN", benchmark = "Graduates" },
    { code = "TDL", benchmark = "Customer service" },
    { code = "WBN", tests = ["Customer Service Situations", "Telephone Etiquette"] },
  ]
}

run "names_become_ids" {
  module {
    source = "./modules/position"
  }

  assert {
    condition     = assess_position_assessment.this["LMN"].benchmark.id == "bmk-lumen-graduates-en-gb"
    error_message = "The benchmark is ${assess_position_assessment.this["LMN"].benchmark.id}: not the one of the position's language."
  }

  assert {
    condition     = assess_position_assessment.this["WBN"].tests.ids == toset(["skt-customer-service", "skt-telephone"])
    error_message = "The tests are ${jsonencode(assess_position_assessment.this["WBN"].tests.ids)}."
  }
}

run "refuses_a_misspelt_key" {
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

run "refuses_another_word_for_packages" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    assessments = [{ code = "QRT", packages = "everything" }]
  }
  expect_failures = [var.assessments]
}

run "refuses_a_benchmark_of_another_name" {
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

run "someone_attaches_an_assessment_elsewhere" {
  module {
    source = "./tests/someone_else"
  }
}

run "reports_what_was_attached_elsewhere" {
  command = plan
  module {
    source = "./modules/position"
  }
  expect_failures = [check.attached_elsewhere]
}

run "says_who_waits_for_a_supervisor" {
  module {
    source = "./modules/position"
  }
  variables {
    title       = "Offshore Technician, Aberdeen"
    assessments = [{ code = "TRN" }]
  }
  expect_failures = [check.profiles_completed]
}
