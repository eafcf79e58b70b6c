provider "assess" {
  rate_limit {
    coordination = "redis://someone:a-very-secret-password@127.0.0.1:1/2"
  }
}

data "assess_assessment" "any" { code = "LMN" }
