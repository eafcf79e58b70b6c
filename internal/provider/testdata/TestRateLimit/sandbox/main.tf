provider "assess" {
  sandbox {}
}

data "assess_assessment" "any" { code = "LMN" }
