terraform {
  required_providers {
    assess = { source = "hashicorp/assess" }
  }
}

data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

resource "assess_position_assessment" "skills" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-workbench"

  tests {
    ids = [assess_skills_test_activation.go.test_id]
  }
}

ephemeral "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

resource "terraform_data" "report" {
  provisioner "local-exec" {
    command     = "echo \"$REPORT\" > report.md"
    environment = {
      REPORT = provider::assess::results_markdown(ephemeral.assess_position_results.graduates.candidates, "From any CLI")
    }
  }
}
