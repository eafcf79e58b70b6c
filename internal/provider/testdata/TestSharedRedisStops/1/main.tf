variable "resources" { type = number }

provider "assess" {
  retry_timeout = "2s"
}

resource "assess_position_assessment" "all" {
  count         = var.resources
  position_id   = format("pos-%04d", floor(count.index / 5))
  assessment_id = ["asm-lumen", "asm-tideline", "asm-lattice", "asm-tally", "asm-margin"][count.index % 5]
}
