terraform import assess_position_assessment.ability pos-graduates-2026/pas-graduates-lumen
