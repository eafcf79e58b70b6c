variable "positions" { type = number }

locals {
  kinds = {
    "asm-lumen"    = "bmk-lumen-engineers-en-gb"
    "asm-tideline" = "bmk-tideline-customer-service-en-gb"
    "asm-lattice"  = "bmk-lattice-graduates-en-gb"
    "asm-tally"    = "bmk-tally-finance-en-gb"
    "asm-margin"   = "bmk-margin-customer-service-en-gb"
  }
  all = { for pair in setproduct(range(var.positions), keys(local.kinds)) : "${pair[0]} ${pair[1]}" => { position = format("pos-%04d", pair[0]), assessment = pair[1] } }
}

resource "assess_position_assessment" "all" {
  for_each      = local.all
  position_id   = each.value.position
  assessment_id = each.value.assessment
  benchmark { id = local.kinds[each.value.assessment] }
}
