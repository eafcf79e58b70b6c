data "assess_assessments" "all" {}
