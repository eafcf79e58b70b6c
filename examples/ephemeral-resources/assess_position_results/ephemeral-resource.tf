data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

ephemeral "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

# The scores reach a file, and neither the plan nor the state. They are written
# anew whenever the day changes. A system bounds what a command may be handed
# over (128 KiB on Linux), so it is given no more than is needed.
resource "terraform_data" "scores" {
  triggers_replace = [formatdate("YYYY-MM-DD", plantimestamp())]

  provisioner "local-exec" {
    command = "umask 077 && printf '%s' \"$SCORES\" > scores.csv"
    environment = {
      SCORES = provider::assess::results_csv([
        for c in ephemeral.assess_position_results.graduates.candidates : { name = c.name, suitability = c.suitability }
      ])
    }
  }
}
