provider "assess" {
  rate_limit {
    coordination = "redis://:a-very-secret/password@localhost:6379"
  }
}

data "assess_assessment" "any" { code = "LMN" }
