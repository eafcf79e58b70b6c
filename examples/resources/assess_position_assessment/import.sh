# POSITION_ID/ASSESSMENT_ID, or POSITION_ID/POSITION_ASSESSMENT_ID
terraform import assess_position_assessment.ability pos-graduates-2026/asm-lumen
