# Tests of modules/position/checks.tf. It reports an assessment that a teammate attached in the service.

provider "assess" {
  sandbox {
    state_file = "assess-sandbox-tests.json"
    limits     = false # saves time
  }
}

variables {
  title       = "Customer Support Adviser, Leeds"
  assessments = []
}

run "a_teammate_attaches_an_assessment" {
  module {
    source = "./tests/teammate"
  }
}

run "reports_an_assessment_attached_elsewhere" {
  command = plan
  module {
    source = "./modules/position"
  }
  expect_failures = [check.attached_elsewhere]
}

run "accepts_an_exception" {
  command = plan
  module {
    source = "./modules/position"
  }
  variables {
    unmanaged = ["FCT"]
  }
}
