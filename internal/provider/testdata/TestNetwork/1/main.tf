variable "gateway_token" {
  type      = string
  ephemeral = true
}

provider "assess" {
  retry_timeout = "2s"
  headers       = { "X-Gateway-Token" = var.gateway_token }
}

data "assess_assessment" "ability" { code = "LMN" }

resource "assess_position_assessment" "ability" {
  position_id   = "pos-backend-london"
  assessment_id = data.assess_assessment.ability.id
}
