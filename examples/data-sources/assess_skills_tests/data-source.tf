data "assess_skills_tests" "enabled" {
  assessment_id = "asm-workbench"
  active        = true # false: the others; left out: both
}

output "software" {
  value = [for t in data.assess_skills_tests.enabled.tests : t.title if t.category == "Software"]
}
