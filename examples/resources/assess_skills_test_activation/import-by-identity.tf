import {
  to = assess_skills_test_activation.go
  identity = {
    assessment_id = "asm-workbench"
    test_id       = "skt-go"
  }
}
