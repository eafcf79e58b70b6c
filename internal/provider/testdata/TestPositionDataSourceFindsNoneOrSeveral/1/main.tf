data "assess_position" "nowhere" {
  id = "nowhere"
}

data "assess_position" "near" {
  title = "backend engineer"
}

data "assess_position" "several" {
  title = "Ingénieure données, Paris"
}
