# By ID: POSITION_ID/POSITION_ASSESSMENT_ID, as the output "attached" prints them.

import {
  to = assess_position_assessment.ability
  id = "pos-graduates-2026/pas-graduates-lumen"
}

import {
  to = assess_position_assessment.emotions
  id = "pos-graduates-2026/pas-graduates-tideline"
}

# By identity: both ids as separate values. They require no encoding.

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
