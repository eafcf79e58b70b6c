# Stores the state in an S3 bucket, with locking. Copy this file to backend.tf in the root of the
# repository. Turn on versioning for the bucket, and let old versions expire after some days.
#
# Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for all jobs. On GitLab, do not protect them. Without a stored key, let
# the identity provider of your host assume a role: on GitHub with the permission "id-token: write" and the action
# aws-actions/configure-aws-credentials before ours, on GitLab with id_tokens.
terraform {
  backend "s3" {
    bucket       = "positions"
    key          = "positions.tfstate"
    region       = "eu-central-1"
    encrypt      = true
    use_lockfile = true # locks the state with a file in the bucket

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
