removed {
  from = assess_position_assessment.a
  lifecycle { destroy = false }
}
