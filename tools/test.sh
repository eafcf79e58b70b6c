#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Runs all tests with OpenTofu. If Terraform 1.12 or later is on PATH, the tests of the
# provider and of the examples run again with Terraform. If TF_ACC_TERRAFORM_PATH is set, all
# tests run only with that CLI. Arguments are passed to go test. "make lint" runs go vet, so go
# test does not.
# shellcheck disable=SC2086 # Lists of packages are words.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT
: >"$scratch/empty.tfrc"
GOCACHE=$(go env GOCACHE) # its default depends on XDG_CACHE_HOME
export GOCACHE TF_ACC=1 TF_CLI_CONFIG_FILE="$scratch/empty.tfrc" XDG_CACHE_HOME="$scratch/cache"
export TF_ACC_PROVIDER_NAMESPACE=assessascode
export GOGC=400 # collecting garbage less often saves a sixth of the CPU time of tests and CLIs
unset "${!TF_LOG@}" "${!ASSESS_@}"

race=-race
if [ "$(go env CGO_ENABLED)" != 1 ] || ! command -v "$(go env CC)" >/dev/null; then
  echo "no C compiler: the tests run without the race detector" >&2
  race=
fi

# Some tests need other programs. Without them they are skipped, or fail in CI. npm installs axe-core,
# which checks the accessibility of reports.
tools/debian.sh chromium "the tests that use a browser"
command -v valkey-server >/dev/null || tools/debian.sh redis-server "the tests that use Redis"
command -v npm >/dev/null || echo "npm is missing: the accessibility of reports is not tested" >&2

# The race detector checks what runs concurrently. The tests of the provider run processes of a
# CLI, which it cannot see into, and thousands of simulated runs, which internal/coretest runs
# concurrently under the detector. internal/coretest also runs without it, with more seeds, and to
# compare its recordings with the CLI.
concurrent=$(go list ./internal/{assessapi,callctx,catalog,coretest,engine,sandbox,throttle}/...)
sequential="$(go list ./... | grep -vxF "$concurrent") $(go list ./internal/coretest)"

# with CLI PACKAGES...: runs the tests of packages with a CLI. Most of their time, the tests of the
# provider wait for processes, so more of them run at once than there are cores.
with() {
  local version host=registry.terraform.io
  version=$("$1" version | head -n 1)
  case "$version" in OpenTofu*) host=registry.opentofu.org ;; esac
  echo "== with $version"
  TF_ACC_TERRAFORM_PATH=$1 TF_ACC_PROVIDER_HOST=$host \
    go test -vet=off -parallel 10 -timeout 30m ${arguments[@]+"${arguments[@]}"} "${@:2}"
}

arguments=("$@")
SEEDS=${SEEDS:-50} go test -vet=off $race -timeout 30m ${arguments[@]+"${arguments[@]}"} $concurrent >"$scratch/concurrent" 2>&1 &
running=$!
code=0
if [ -n "${TF_ACC_TERRAFORM_PATH:-}" ]; then
  with "$TF_ACC_TERRAFORM_PATH" $sequential || code=1
else
  with "$(tools/cli.sh tofu)" $sequential || code=1
  terraform=$(tools/cli.sh terraform)
  if [ -n "$terraform" ]; then
    with "$terraform" ./internal/provider ./examples || code=1
  else
    echo "== Terraform 1.12 or later is not on PATH: the tests with a CLI ran only with OpenTofu"
  fi
fi
echo "== the contract with the service"
go -C tools/contract test -timeout 30m ${arguments[@]+"${arguments[@]}"} ./... || code=1
wait "$running" || code=1
echo "== with the race detector"
cat "$scratch/concurrent"
exit "$code"
