data "assess_positions" "all" {}

data "assess_assessment" "reliability" {
  code = "KST"
}

# Attaches an assessment to each position of a locale.
resource "assess_position_assessment" "reliability" {
  for_each = { for p in data.assess_positions.all.positions : p.title => p.id if p.locale == "de-DE" }

  position_id   = each.value
  assessment_id = data.assess_assessment.reliability.id
}
