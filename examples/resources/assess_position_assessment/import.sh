terraform import assess_position_assessment.games pos-backend-london/pas-0001
