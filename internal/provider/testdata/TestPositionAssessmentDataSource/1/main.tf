data "assess_position_assessment" "games" {
  position_id = "pos-backend-london"
  id          = "pas-games"
}

data "assess_position_assessment" "values" {
  position_id = "pos-backend-london"
  id          = "pas-values"
}

data "assess_position_assessment" "supervised" {
  position_id = "pos-backend-london"
  id          = "pas-supervised"
}

data "assess_position_assessment" "skills" {
  position_id = "pos-backend-london"
  id          = "pas-skills"
}

data "assess_position_assessment" "bare" {
  position_id = "pos-backend-london"
  id          = "pas-bare"
}

data "assess_position_assessment" "ability" {
  position_id = "pos-backend-london"
  id          = "pas-ability"
}
