provider "assess" {
  privacy = "strict"
}

data "assess_position_results" "graduates" {
  position_id = "pos-graduates-2026"
}
