provider "assess" {
  rate_limit {
    coordination = "rediss://:a-very-secret-password@cache.example.com"
  }
  sandbox {}
}

data "assess_assessment" "any" { code = "LMN" }
