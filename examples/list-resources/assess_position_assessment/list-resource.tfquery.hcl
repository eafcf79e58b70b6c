# The assessments of all positions. Without limit, Terraform shows at most 100.
list "assess_position_assessment" "all" {
  provider = assess
  limit    = 5000
}

# The assessments of one position, by its title or its position_id.
list "assess_position_assessment" "graduates" {
  provider = assess
  limit    = 100

  config {
    position_title = "Graduate Programme 2026"
  }
}
