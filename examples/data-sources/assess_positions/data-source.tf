data "assess_positions" "all" {}

# Attaches an assessment to each position of a locale.
resource "assess_position_assessment" "reliability" {
  for_each = { for p in data.assess_positions.all.positions : p.title => p.id if p.locale == "de-DE" }

  position_id   = each.value
  assessment_id = "asm-keystone"
}
