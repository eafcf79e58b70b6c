data "assess_assessment" "by_id" {
  id = "asm-workbench"
}

data "assess_assessment" "by_code" {
  code = "QRT"
}

data "assess_assessment" "by_name" {
  name = "Quartet Games"
}
