variable "title" {
  description = "Title of the position, exactly as in the service."
  type        = string
}

variable "assessments" {
  description = "The assessments of the position, by name or code. Each has the options that its kind accepts, by name."
  type = map(object({
    packages             = optional(list(string))
    select_packages      = optional(string) # "all" or "mandatory" instead of names
    benchmark            = optional(string)
    profile              = optional(string) # without it, a supervisor completes the profile
    on_supervisor_change = optional(string)
    tests                = optional(list(string))
    on_refused_removal   = optional(string)
  }))
  default = {}
}
