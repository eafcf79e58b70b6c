data "assess_assessment" "any" { code = "LMN" }
