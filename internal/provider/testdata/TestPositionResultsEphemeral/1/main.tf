ephemeral "assess_position_results" "all" {
  position_id = "pos-graduates-2026"
}

ephemeral "assess_position_results" "again" {
  position_id = "pos-graduates-2026"
}

ephemeral "assess_position_results" "some" {
  position_id    = "pos-graduates-2026"
  candidate_ids  = ["cnd-007", "cnd-001"]
  assessment_ids = ["asm-lumen", "asm-keystone"]
}

ephemeral "assess_position_results" "none" {
  position_id   = "pos-graduates-2026"
  candidate_ids = []
}

data "assess_position_results" "all" {
  position_id = "pos-graduates-2026"
}

provider "echo" {
  data = {
    all   = ephemeral.assess_position_results.all
    again = ephemeral.assess_position_results.again
    some  = ephemeral.assess_position_results.some
    none  = ephemeral.assess_position_results.none
  }
}

resource "echo" "results" {}
