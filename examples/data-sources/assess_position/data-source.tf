data "assess_position" "backend" {
  title = "Backend Engineer, London" # or id
}

output "locale" {
  value = data.assess_position.backend.locale
}
