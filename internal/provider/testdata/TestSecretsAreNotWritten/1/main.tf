resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"
  profile { id = "prf-customer-first" }
}

resource "assess_skills_test_activation" "a" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

data "assess_assessments" "all" {}

output "assessments" {
  value = data.assess_assessments.all
}

variable "gateway_token" {
  type      = string
  ephemeral = true
}

provider "assess" {
  headers         = { "X-Gateway-Token" = "Bearer ${var.gateway_token}" }
  request_timeout = "2s"
  retry_timeout   = "2s"
}
