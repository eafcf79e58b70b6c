data "assess_assessment" "ability" {
  code = "LMN" # or id, or name
}

output "ability" {
  value = "${data.assess_assessment.ability.name} is ${data.assess_assessment.ability.id}"
}
