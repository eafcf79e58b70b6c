import {
  to = assess_skills_test_activation.sql
  identity = {
    assessment_id = "asm-workbench"
    test_id       = "skt-sql"
  }
}
