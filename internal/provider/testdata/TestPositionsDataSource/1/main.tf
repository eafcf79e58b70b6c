data "assess_positions" "all" {}

data "assess_positions" "titled" {
  title = "Backend Engineer, London"
}

data "assess_positions" "none" {
  title = "Nobody, Nowhere"
}
