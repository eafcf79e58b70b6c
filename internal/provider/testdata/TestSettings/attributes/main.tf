variable "address" { type = string }

provider "assess" {
  base_url      = var.address
  client_id     = "demo-client"
  api_key       = "demo-key-not-a-secret"
  retry_timeout = "1s"
}

data "assess_assessment" "any" { code = "LMN" }
