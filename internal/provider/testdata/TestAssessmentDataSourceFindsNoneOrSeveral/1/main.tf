data "assess_assessment" "nowhere" {
  id = "nowhere"
}

data "assess_assessment" "near" {
  code = "qrt"
}

data "assess_assessment" "several" {
  name = "Lumen Ability Test"
}
