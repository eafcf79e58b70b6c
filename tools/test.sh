#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Runs every test: all packages once with OpenTofu as the CLI, and the provider's
# once more with Terraform where a recent one is on PATH. Where TF_ACC_TERRAFORM_PATH
# names a CLI, all run with that one alone. Arguments go to go test.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/empty.tfrc"
GOCACHE=$(go env GOCACHE) # it is inside XDG_CACHE_HOME otherwise, and everything would be compiled again
export GOCACHE TF_ACC=1 TF_CLI_CONFIG_FILE="$scratch/empty.tfrc" XDG_CACHE_HOME="$scratch/cache"
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

# One of them checks the accessibility of reports with axe-core, from npm.
command -v npm >/dev/null || echo "npm is missing: the accessibility of reports is not tested" >&2

# Others share a budget through a real Redis.
if ! command -v redis-server >/dev/null && ! command -v valkey-server >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing Debian's redis-server for the tests that use one ..." >&2
  (apt-get update -qq && apt-get install -y -qq --no-install-recommends redis-server) >"$scratch/apt.log" 2>&1 ||
    { tail -n 3 "$scratch/apt.log" >&2; echo "redis-server cannot be had: its tests are skipped" >&2; }
fi

# with CLI PACKAGES...: runs the tests of packages with a CLI.
with() {
  local version host=registry.terraform.io
  version=$("$1" version | head -n 1)
  case "$version" in OpenTofu*) host=registry.opentofu.org ;; esac
  echo "== ${*:2}, with $version"
  TF_ACC_TERRAFORM_PATH=$1 TF_ACC_PROVIDER_HOST=$host go test $race -timeout 30m ${arguments[@]+"${arguments[@]}"} "${@:2}"
}

arguments=("$@")
if [ -n "${TF_ACC_TERRAFORM_PATH:-}" ]; then
  with "$TF_ACC_TERRAFORM_PATH" ./...
  exit
fi
with "$(tools/cli.sh tofu)" ./...
terraform=$(tools/cli.sh terraform)
if [ -n "$terraform" ]; then
  with "$terraform" ./internal/provider/
else
  echo "== no terraform 1.12 or later on PATH: the provider's tests ran with OpenTofu alone"
fi
