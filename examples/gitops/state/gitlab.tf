# Stores the state in GitLab, with locking. Copy this file to backend.tf in the root of the
# repository, and add these variables to .gitlab-ci.yml:
#
#   TF_HTTP_ADDRESS: $CI_API_V4_URL/projects/$CI_PROJECT_ID/terraform/state/positions
#   TF_HTTP_LOCK_ADDRESS: $TF_HTTP_ADDRESS/lock
#   TF_HTTP_UNLOCK_ADDRESS: $TF_HTTP_ADDRESS/lock
#   TF_HTTP_LOCK_METHOD: POST
#   TF_HTTP_UNLOCK_METHOD: DELETE
#   TF_HTTP_USERNAME: gitlab-ci-token
#   TF_HTTP_PASSWORD: $CI_JOB_TOKEN
#
# The person who merges must have the role Maintainer, because GitLab does not let other roles write a state.
terraform {
  backend "http" {}
}
