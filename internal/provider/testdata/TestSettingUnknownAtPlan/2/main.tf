variable "address" { type = string }

resource "terraform_data" "address" { input = var.address }

provider "assess" {
  base_url  = terraform_data.address.output
  client_id = "demo-client"
  api_key   = "demo-key-not-a-secret"
}

resource "assess_position_assessment" "games" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-quartet"
  packages { select = "all" }
}

data "assess_assessment" "any" { code = "LMN" }
