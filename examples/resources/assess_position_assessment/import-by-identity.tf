import {
  to = assess_position_assessment.ability
  identity = {
    position_id = "pos-graduates-2026"
    id          = "pas-graduates-lumen"
  }
}
