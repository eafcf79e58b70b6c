variable "file" {
  description = "Path of the spreadsheet, saved as \"CSV UTF-8\"."
  type        = string
}
