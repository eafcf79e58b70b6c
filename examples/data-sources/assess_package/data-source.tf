data "assess_position" "support" {
  title = "Customer Support Adviser, Leeds"
}

data "assess_packages" "games" {
  assessment_id = "asm-quartet"
}

data "assess_package" "verbal" {
  assessment_id = data.assess_packages.games.assessment_id
  name          = "Verbal knowledge" # or id
}

# The mandatory packages and one optional package.
resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.support.id
  assessment_id = data.assess_packages.games.assessment_id

  packages { ids = concat(data.assess_packages.games.mandatory_ids, [data.assess_package.verbal.id]) }
}
