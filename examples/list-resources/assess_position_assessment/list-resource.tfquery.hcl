# The assessments of all positions.
list "assess_position_assessment" "all" {
  provider = assess
  limit    = 5000
}

# The assessments of one position. You can also set position_id instead of the title.
list "assess_position_assessment" "graduates" {
  provider = assess
  limit    = 100

  config {
    position_title = "Graduate Programme 2026"
  }
}
