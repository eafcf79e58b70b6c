provider "assess" {
  request_timeout = "soon"
  retry_timeout   = "-1s"
}

data "assess_assessment" "any" { code = "LMN" }
