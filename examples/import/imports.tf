# By id: POSITION/POSITION_ASSESSMENT, as the output "attached" prints them.

import {
  to = assess_position_assessment.ability
  id = "pos-graduates-2026/pas-graduates-lumen"
}

import {
  to = assess_position_assessment.emotions
  id = "pos-graduates-2026/pas-graduates-tideline"
}

# By identity: the same, by name, with nothing to encode.

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
