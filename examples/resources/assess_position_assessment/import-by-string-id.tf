import {
  to = assess_position_assessment.ability
  id = "pos-graduates-2026/asm-lumen" # POSITION_ID/ASSESSMENT_ID, or POSITION_ID/POSITION_ASSESSMENT_ID
}
