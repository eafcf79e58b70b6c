terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}

provider "assess" {
  # base_url, client_id and api_key come from the environment.

  rate_limit {
    share = 0.5 # leave half of the key's limits to others; the default is 1
  }
}
