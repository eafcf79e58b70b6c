import {
  to = assess_position_assessment.ability
  id = "pos-graduates-2026/pas-graduates-lumen" # POSITION_ID/POSITION_ASSESSMENT_ID
}
