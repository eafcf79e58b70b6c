terraform {
  required_providers {
    assess = {
      source  = "assessascode/assess"
      version = "~> 0.1.0"
    }
  }
}

provider "assess" {
  # base_url, client_id and api_key come from the environment:
  # ASSESS_BASE_URL, ASSESS_CLIENT_ID and ASSESS_API_KEY.
}
