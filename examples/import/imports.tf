# An import block can take its ID from data sources, so it names what it imports.

data "assess_assessment" "imported" {
  for_each = toset(["LMN", "TDL", "KST", "NLV"])
  code     = each.key
}

locals {
  # The import ID of each position assessment, by the code of its assessment.
  ids = {
    for code, assessment in data.assess_assessment.imported : code => one([
      for a in data.assess_position_assessments.graduates.assessments : "${a.position_id}/${a.id}"
      if a.assessment_id == assessment.id
    ])
  }
}

import {
  to = assess_position_assessment.ability
  id = local.ids["LMN"]
}

import {
  to = assess_position_assessment.emotions
  id = local.ids["TDL"]
}

import {
  to = assess_position_assessment.reliability
  id = local.ids["KST"]
}

import {
  to = assess_position_assessment.values
  id = local.ids["NLV"]
}
