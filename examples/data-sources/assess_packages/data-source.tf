data "assess_packages" "games" {
  assessment_id = "asm-quartet"
}

# The mandatory packages and one optional package.
resource "assess_position_assessment" "games" {
  position_id   = "pos-support-leeds"
  assessment_id = data.assess_packages.games.assessment_id

  packages {
    ids = concat(data.assess_packages.games.mandatory_ids, [data.assess_packages.games.ids_by_name["Verbal knowledge"]])
  }
}
