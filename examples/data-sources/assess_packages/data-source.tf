data "assess_position" "support" {
  title = "Customer Support Adviser, Leeds"
}

data "assess_assessment" "games" {
  code = "QRT"
}

data "assess_packages" "games" {
  assessment_id = data.assess_assessment.games.id
}

# The mandatory packages and one optional package.
resource "assess_position_assessment" "games" {
  position_id   = data.assess_position.support.id
  assessment_id = data.assess_assessment.games.id

  packages {
    ids = concat(data.assess_packages.games.mandatory_ids, [data.assess_packages.games.ids_by_name["Verbal knowledge"]])
  }
}
