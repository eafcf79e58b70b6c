resource "terraform_data" "which" { input = "asm-quartet" }

resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = terraform_data.which.output
  packages { select = "all" }
}
