# A state in a bucket that speaks the interface of S3, with locking: copy this file to backend.tf
# in the root of the repository. Credentials come from the variables AWS_ACCESS_KEY_ID and
# AWS_SECRET_ACCESS_KEY of plan, apply and drift. Switch on versions of objects for the bucket,
# with an expiry of some days.
terraform {
  backend "s3" {
    bucket       = "positions"
    key          = "positions.tfstate"
    region       = "eu-central-1"
    encrypt      = true
    use_lockfile = true # locks with a file beside the state

    # Only for a service other than AWS:
    # endpoints                   = { s3 = "https://s3.example.com" }
    # use_path_style              = true
    # skip_credentials_validation = true
    # skip_requesting_account_id  = true
    # skip_region_validation      = true
    # skip_metadata_api_check     = true
    # skip_s3_checksum            = true
  }
}
