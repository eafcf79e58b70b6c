variable "fallback" {
  type    = string
  default = null
}

provider "assess" {
  rate_limit {
    fallback = var.fallback
  }
}

data "assess_assessment" "any" { code = "LMN" }
