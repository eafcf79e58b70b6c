data "assess_position_assessments" "all" {
  position_id = "pos-backend-london"
}
