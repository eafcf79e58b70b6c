terraform {
  required_providers {
    assess = { source = "hashicorp/assess" }
  }
}

ephemeral "assess_position_results" "graduates" {
  position_id = "pos-graduates-2026"
}

resource "terraform_data" "report" {
  provisioner "local-exec" {
    command     = "printf '%s\n%s' \"$REPORT\" \"$RAW\" > results.report"
    environment = {
      REPORT = provider::assess::results_csv(ephemeral.assess_position_results.graduates.candidates)
      RAW    = ephemeral.assess_position_results.graduates.raw_json
    }
  }
}
