data "assess_position_results" "graduates" {
  position_id = "pos-graduates-2026"
}

resource "terraform_data" "report" {}
