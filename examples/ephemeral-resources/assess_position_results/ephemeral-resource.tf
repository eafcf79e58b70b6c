data "assess_position" "graduates" {
  title = "Graduate Programme 2026"
}

ephemeral "assess_position_results" "graduates" {
  position_id = data.assess_position.graduates.id
}

# Writes the names and scores to a file, at most once a day. A plan or a state does not
# contain them. The size of an environment variable is limited (to 128 KiB on Linux).
# So this example uses only two attributes of each candidate.
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
