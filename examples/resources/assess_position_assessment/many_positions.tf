# The same assessments on each of these positions.

locals {
  # Each position by a short key of your own. The key stays the same if the position is renamed.
  positions = {
    backend_london = "Backend Engineer, London"
    support_leeds  = "Customer Support Adviser, Leeds"
  }

  # Each assessment by its code, with the name of its benchmark, or null.
  assessments = {
    LMN = "Graduates"
    TDL = null
    KST = null
  }

  # Each pair of a position and an assessment.
  pairs = {
    for pair in setproduct(keys(local.positions), keys(local.assessments)) :
    "${pair[0]}_${pair[1]}" => { position = pair[0], code = pair[1], benchmark = local.assessments[pair[1]] }
  }
}

data "assess_position" "each" {
  for_each = local.positions
  title    = each.value
}

data "assess_assessment" "each" {
  for_each = local.assessments
  code     = each.key
}

# The benchmark of each pair that has one, for the locale of its position.
data "assess_benchmark" "each" {
  for_each      = { for key, pair in local.pairs : key => pair if pair.benchmark != null }
  assessment_id = data.assess_assessment.each[each.value.code].id
  name          = each.value.benchmark
  locale        = data.assess_position.each[each.value.position].locale
}

resource "assess_position_assessment" "each" {
  for_each      = local.pairs
  position_id   = data.assess_position.each[each.value.position].id
  assessment_id = data.assess_assessment.each[each.value.code].id

  dynamic "benchmark" {
    for_each = each.value.benchmark == null ? [] : [data.assess_benchmark.each[each.key].id]
    content {
      id = benchmark.value
    }
  }
}
