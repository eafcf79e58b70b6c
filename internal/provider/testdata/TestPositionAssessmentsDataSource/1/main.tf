data "assess_position_assessments" "all" {
  position_id = "pos-backend-london"
}

data "assess_position_assessments" "empty" {
  position_id = "pos-support-leeds"
}
