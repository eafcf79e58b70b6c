import {
  to = assess_position_assessment.games
  identity = {
    position_id = "pos-backend-london"
    id          = "pas-0002"
  }
}

import {
  to = assess_position_assessment.open
  identity = {
    position_id = "pos-backend-london"
    id          = "pas-0003"
  }
}

import {
  to = assess_position_assessment.values
  identity = {
    position_id = "pos-backend-london"
    id          = "pas-0004"
  }
}

import {
  to = assess_position_assessment.ability
  identity = {
    position_id = "pos-backend-london"
    id          = "pas-0005"
  }
}

import {
  to = assess_position_assessment.skills
  identity = {
    position_id = "pos-backend-london"
    id          = "pas-0006"
  }
}

import {
  to = assess_skills_test_activation.go
  identity = {
    assessment_id = "asm-workbench"
    test_id       = "skt-go"
  }
}
