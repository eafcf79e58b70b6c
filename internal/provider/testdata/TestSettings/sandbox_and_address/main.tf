provider "assess" {
  base_url = "https://assess.example.com"
  sandbox {}
}

data "assess_assessment" "any" { code = "LMN" }
