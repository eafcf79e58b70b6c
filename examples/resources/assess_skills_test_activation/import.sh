# ASSESSMENT_ID/TEST_ID
terraform import assess_skills_test_activation.sql asm-workbench/skt-sql
