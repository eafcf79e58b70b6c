# Everything that is attached to any position. Terraform shows 100 unless limit
# says otherwise.
list "assess_position_assessment" "all" {
  provider = assess
  limit    = 5000
}

# Or to one position, by its title or its position_id.
list "assess_position_assessment" "graduates" {
  provider = assess

  config {
    position_title = "Graduate Programme 2026"
  }
}
