resource "terraform_data" "position" {
  input = "pos-graduates-2026"
}

ephemeral "assess_position_results" "later" {
  position_id = terraform_data.position.output
}

resource "terraform_data" "count" {
  provisioner "local-exec" {
    command     = "echo $COUNT candidates > count.txt"
    environment = { COUNT = length(ephemeral.assess_position_results.later.candidates) }
  }
}
