terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

provider "assess" {
  # base_url, client_id and api_key come from the environment:
  # ASSESS_BASE_URL, ASSESS_CLIENT_ID and ASSESS_API_KEY.
}
