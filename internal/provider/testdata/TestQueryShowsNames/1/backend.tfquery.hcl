list "assess_position_assessment" "backend" {
  provider         = assess
  include_resource = true
  limit            = 2

  config {
    position_title = "Backend Engineer, London"
  }
}
