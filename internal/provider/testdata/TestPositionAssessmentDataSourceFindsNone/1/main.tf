data "assess_position_assessment" "nowhere" {
  position_id = "pos-backend-london"
  id          = "nowhere"
}

data "assess_position_assessment" "near" {
  position_id = "pos-backend-london"
  id          = "PAS-Values"
}
