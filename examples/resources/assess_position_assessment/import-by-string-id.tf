import {
  to = assess_position_assessment.games
  id = "pos-backend-london/pas-0001" # POSITION/POSITION_ASSESSMENT
}
