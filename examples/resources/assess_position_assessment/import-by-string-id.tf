import {
  to = assess_position_assessment.ability
  id = "pos-graduates-2026/pas-graduates-lumen" # POSITION/POSITION_ASSESSMENT
}
