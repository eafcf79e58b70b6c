import {
  to = assess_position_assessment.games
  id = "pos-backend-london/pas-0002"
}

import {
  to = assess_position_assessment.open
  id = "pos-backend-london/pas-0003"
}

import {
  to = assess_position_assessment.values
  id = "pos-backend-london/pas-0004"
}

import {
  to = assess_position_assessment.ability
  id = "pos-backend-london/pas-0005"
}

import {
  to = assess_position_assessment.skills
  id = "pos-backend-london/pas-0006"
}

import {
  to = assess_skills_test_activation.go
  id = "asm-workbench/skt-go"
}
