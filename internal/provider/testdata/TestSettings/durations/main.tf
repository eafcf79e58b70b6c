provider "assess" {
  request_timeout = "soon"
  retry_timeout   = "-1s"
  rate_limit {
    share        = 1.5
    coordination = "nowhere"
  }
}

data "assess_assessment" "any" { code = "LMN" }
