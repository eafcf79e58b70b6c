import {
  to = assess_skills_test_activation.sql
  id = "asm-workbench/skt-sql" # ASSESSMENT_ID/TEST_ID
}
