variable "address" { type = string }

variable "headers" {
  type    = map(string)
  default = null
}

provider "assess" {
  base_url      = var.address
  client_id     = "demo-client"
  api_key       = "demo-key-not-a-secret"
  headers       = var.headers
  retry_timeout = "1s"
}

data "assess_assessment" "any" { code = "LMN" }
