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

# Some tests look at pages in a real browser.
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing Debian's chromium for the tests that use a browser ..." >&2
  (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) >"$scratch/apt.log" 2>&1 ||
    { tail -n 3 "$scratch/apt.log" >&2; echo "chromium cannot be had: its tests are skipped" >&2; }
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
