# The import IDs of the rows of positions.csv, by key. Delete this file after the apply.
import {
  for_each = {
    backend_engineer_london_qrt = "p%2F1/a1"
    backend_engineer_london_wbn = "p%2F1/a2"
    backend_engineer_london_nlv = "p%2F1/a3"
    backend_engineer_london_trn = "p%2F1/a4"
    p6_fct                      = "p6/f1"
  }

  to = module.positions.assess_position_assessment.row[each.key]
  id = each.value
}
