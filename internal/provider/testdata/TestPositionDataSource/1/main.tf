data "assess_position" "by_id" {
  id = "pos-backend-london"
}

data "assess_position" "by_title" {
  title = "Fachkraft für Lagerlogistik, Leipzig"
}
