import {
  to = assess_skills_test_activation.go
  id = "asm-workbench/skt-go" # ASSESSMENT/TEST
}
