# Spreadsheets write a byte order mark at the beginning of the file.
locals {
  rows = csvdecode(trimprefix(file("${path.module}/positions.csv"), "\ufeff"))
}

resource "assess_skills_test_activation" "go" {
  assessment_id = "asm-workbench"
  test_id       = "skt-go"
}

module "positions" {
  source      = "./positions"
  activations = { (assess_skills_test_activation.go.test_id) = assess_skills_test_activation.go.test_id }
  assessments = {
    for row in local.rows : "${row.position} ${row.assessment}" => {
      position   = row.position
      assessment = row.assessment
      packages   = row.packages == "" ? null : split(" ", row.packages)
      benchmark  = row.benchmark == "" ? null : row.benchmark
      profile    = row.profile == "" ? null : row.profile
      tests      = row.tests == "" ? null : split(" ", row.tests)
    }
  }
}
