provider "assess" {
  rate_limit {
    coordination = "none"
  }
}

data "assess_assessment" "any" { code = "LMN" }
