data "assess_position_results" "people" {
  position_id   = "pos-graduates-2026"
  candidate_ids = ["cnd-007", "cnd-001"]
}

data "assess_position_results" "same_people" {
  position_id   = "pos-graduates-2026"
  candidate_ids = ["cnd-001", "cnd-007", "cnd-001"]
}

data "assess_position_results" "tests" {
  position_id    = "pos-graduates-2026"
  assessment_ids = ["asm-lumen", "asm-keystone"]
}

data "assess_position_results" "both" {
  position_id    = "pos-graduates-2026"
  candidate_ids  = ["cnd-007", "cnd-001"]
  assessment_ids = ["asm-lumen", "asm-keystone"]
}

data "assess_position_results" "none" {
  position_id   = "pos-graduates-2026"
  candidate_ids = []
}

data "assess_position_results" "nothing" {
  position_id    = "pos-graduates-2026"
  assessment_ids = []
}
