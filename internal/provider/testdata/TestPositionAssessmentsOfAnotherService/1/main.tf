data "assess_position_assessment" "games" {
  position_id = "pos-backend-london"
  id          = "pas-games"
}

data "assess_position_assessment" "values" {
  position_id = "pos-backend-london"
  id          = "pas-values"
}

data "assess_position_assessment" "skills" {
  position_id = "pos-backend-london"
  id          = "pas-skills"
}
