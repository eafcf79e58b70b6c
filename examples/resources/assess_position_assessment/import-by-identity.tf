import {
  to = assess_position_assessment.games
  identity = {
    position_id = "pos-backend-london"
    id          = "pas-0001"
  }
}
