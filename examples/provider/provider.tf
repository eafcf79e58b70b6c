terraform {
  required_version = ">= 1.9"

  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = "~> 0.1.0"
    }
  }
}

provider "assess" {
  # The address and the credentials are in the environment variables
  # ASSESS_BASE_URL, ASSESS_CLIENT_ID and ASSESS_API_KEY.
}
