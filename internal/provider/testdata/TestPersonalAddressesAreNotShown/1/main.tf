resource "assess_position_assessment" "a" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-northlight"
  profile { id = "prf-customer-first" }
}

data "assess_position_assessment" "a" {
  position_id = "pos-backend-london"
  id          = assess_position_assessment.a.id
}

data "assess_position_assessments" "a" {
  position_id = "pos-backend-london"
  depends_on  = [assess_position_assessment.a]
}

data "assess_position_results" "a" {
  position_id = "pos-graduates-2026"
}
