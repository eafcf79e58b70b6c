terraform import assess_skills_test_activation.go asm-workbench/skt-go
