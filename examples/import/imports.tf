# Two imports by ID. The output "attached" prints each ID: POSITION_ID/POSITION_ASSESSMENT_ID.

import {
  to = assess_position_assessment.ability
  id = "pos-graduates-2026/pas-graduates-lumen"
}

import {
  to = assess_position_assessment.emotions
  id = "pos-graduates-2026/pas-graduates-tideline"
}

# Two imports by identity, which contains both IDs separately.

import {
  to = assess_position_assessment.reliability
  identity = {
    position_id = "pos-graduates-2026"
    id          = "pas-graduates-keystone"
  }
}

import {
  to = assess_position_assessment.values
  identity = {
    position_id = "pos-graduates-2026"
    id          = "pas-graduates-northlight"
  }
}
