#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Runs every test: all packages once with OpenTofu as the CLI, and the provider's
# once more with Terraform where a recent one is on PATH. Arguments go to go test.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/empty.tfrc"
export TF_ACC=1 TF_CLI_CONFIG_FILE="$scratch/empty.tfrc" XDG_CACHE_HOME="$scratch/cache"
export TF_ACC_PROVIDER_NAMESPACE=assessascode
unset "${!TF_LOG@}" "${!ASSESS_@}"

race=-race
if [ "$(go env CGO_ENABLED)" != 1 ] || ! command -v "$(go env CC)" >/dev/null; then
  echo "no C compiler: the tests run without the race detector" >&2
  race=
fi

tofu=$(tools/cli.sh tofu)
echo "== all packages, with $("$tofu" version | head -n 1)"
TF_ACC_TERRAFORM_PATH=$tofu TF_ACC_PROVIDER_HOST=registry.opentofu.org go test $race -timeout 20m "$@" ./...

terraform=$(tools/cli.sh terraform)
if [ -n "$terraform" ]; then
  echo "== the provider, with $("$terraform" version | head -n 1)"
  TF_ACC_TERRAFORM_PATH=$terraform TF_ACC_PROVIDER_HOST=registry.terraform.io go test $race -timeout 20m "$@" ./internal/provider/
else
  echo "== no terraform 1.12 or later on PATH: its run is left out"
fi
