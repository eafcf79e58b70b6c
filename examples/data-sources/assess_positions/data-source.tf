data "assess_positions" "all" {}

data "assess_assessment" "reliability" {
  code = "KST"
}

# Attaches an assessment to each position of a locale.
resource "assess_position_assessment" "reliability" {
  for_each      = toset([for p in data.assess_positions.all.positions : p.id if p.locale == "de-DE"])
  position_id   = each.key
  assessment_id = data.assess_assessment.reliability.id
}
