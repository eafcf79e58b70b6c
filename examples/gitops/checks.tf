# Finds assessments that were attached by hand. A plan warns about them, and the comment about drift shows them.
# Delete this file if nobody needs that, or if the service does not list the assessments of a position.

data "assess_assessments" "all" {}

# This data source is outside the check. Inside, OpenTofu would plan to read it in every run, and no plan would be
# without changes.
data "assess_position_assessments" "of" {
  for_each    = module.positions.assessments
  position_id = each.key
}

locals {
  names = { for a in data.assess_assessments.all.assessments : a.id => a.name }
  by_hand = flatten([for position, listed in module.positions.assessments : [
    for a in data.assess_position_assessments.of[position].assessments :
    "  ${lookup(local.names, a.assessment_id, "retired assessment")}, ${position}/${a.id}" if !contains(listed, a.assessment_id)
  ]])
}

check "attached_elsewhere" {
  assert {
    condition = length(local.by_hand) == 0
    error_message = join("\n", concat(["Positions have assessments without a row in positions.csv:"], local.by_hand, [
      "They stay attached. To manage one, add its row, and an import block with this ID.",
    ]))
  }
}
