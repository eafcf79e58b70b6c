variable "positions" { type = number }

locals {
  kinds = {
    "asm-lumen"    = "bmk-lumen-engineers-en-gb"
    "asm-tideline" = "bmk-tideline-customer-service-en-gb"
    "asm-lattice"  = "bmk-lattice-graduates-en-gb"
    "asm-tally"    = "bmk-tally-finance-en-gb"
    "asm-margin"   = "bmk-margin-customer-service-en-gb"
  }
}

resource "assess_position_assessment" "all" {
  count         = var.positions * length(local.kinds) # with for_each, CLIs take longer
  position_id   = format("pos-%04d", floor(count.index / length(local.kinds)))
  assessment_id = keys(local.kinds)[count.index % length(local.kinds)]
  benchmark { id = values(local.kinds)[count.index % length(local.kinds)] }
}
