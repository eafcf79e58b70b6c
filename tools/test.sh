#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/test.sh [ARGUMENT...]      the tests that need only Go, git, make and bash
#   tools/test.sh acc [ARGUMENT...]  the acceptance tests, with the CLI that tools/cli.sh prints
#   tools/test.sh cli [ARGUMENT...]  the tests with a CLI: the one in TF_ACC_TERRAFORM_PATH, or OpenTofu
#   tools/test.sh all                everything: with each CLI, browsers, Redis, gateways, the race
#                                    detector, Wine, and the contract
#
# The arguments are those of go test. "make lint" runs go vet, so go test does not.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=quick
case "${1:-}" in acc | cli | all) mode=$1; shift ;; esac
# shellcheck source=tools/flags.sh
source tools/flags.sh
unset "${!TF_LOG@}" "${!ASSESS_@}" TF_ACC
export TF_CLI_CONFIG_FILE=/dev/null
export GOGC=400 # collecting garbage less often saves a sixth of the CPU time of tests and CLIs

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

failed=()
go_test() { # go_test REPEAT ARGUMENT...: REPEAT is the command that repeats a failure. Tests the module in $dir
  go -C "${dir:-.}" test -vet=off -timeout 60m "${@:2}" 2>&1 | tee "$scratch/log" | grep --line-buffered -v 'no test files' ||
    [ "${PIPESTATUS[0]}" = 0 ] || failed+=("$1: $(grep -E '^ *--- FAIL|^FAIL.' "$scratch/log" | tr -s ' \n\t' ' ')")
}

# Most of their time, these tests wait for processes, so more of them run at once than there are cores.
with_cli() { # with_cli CLI ARGUMENT...
  echo "== with $("$1" version | head -n 1)"
  GOCACHE=$(go env GOCACHE) XDG_CACHE_HOME=$scratch/cache TF_ACC=1 TF_ACC_TERRAFORM_PATH=$1 \
    go_test "TF_ACC_TERRAFORM_PATH=$1 tools/test.sh cli" -parallel 10 "${@:2}"
}

# The acceptance tests run the provider in the process of the tests.
acceptance() { # acceptance CLI ARGUMENT...: in all packages, unless an argument names some
  local cli=$1
  shift
  echo "== acceptance tests with $("$cli" version | head -n 1)"
  # shellcheck disable=SC2046 # a list of packages
  case " $* " in *" ./"*) ;; *) set -- "$@" $(git grep -l --untracked internal/acctest -- '*_acc_test.go' | xargs -n 1 dirname | sort -u | sed 's|^|./|') ;; esac
  TF_ACC=1 TF_ACC_TERRAFORM_PATH=$cli \
    go_test "TF_ACC_TERRAFORM_PATH=$cli tools/test.sh acc" -parallel 10 -run '^TestAcc' "$@"
}

# Programs that some tests need. Without them, the tests are skipped, or fail in CI. npm installs
# axe-core, which checks the accessibility of reports.
programs() {
  tools/debian.sh chromium "the tests that use a browser"
  command -v valkey-server >/dev/null || tools/debian.sh redis-server "the tests that use Redis"
  tools/debian.sh nginx "the tests with this gateway"
  tools/debian.sh haproxy "the tests with this gateway"
  tools/debian.sh x86_64-w64-mingw32-as "the tests with Wine" wine64 binutils-mingw-w64-x86-64
  command -v npm >/dev/null || echo "npm is missing: the accessibility of reports is not tested" >&2
}

# The race detector checks what runs concurrently. It cannot see into the processes of a CLI, and
# internal/driver runs the provider concurrently under it.
concurrent=(./internal/assessapi/... ./internal/callctx/... ./internal/driver/... ./internal/files/...
  ./internal/positionassessment/... ./internal/run/... ./internal/sandbox/... ./internal/throttle/...)

all() {
  local tofu terraform listed others
  programs
  listed=$(go list "${concurrent[@]}")
  others=$(go list ./... | grep -vxF "$listed")
  tofu=${TF_ACC_TERRAFORM_PATH:-$(tools/cli.sh tofu)}
  terraform=$(tools/cli.sh terraform)
  acceptance "$tofu"
  [ -n "${TF_ACC_TERRAFORM_PATH:-}" ] || [ -z "$terraform" ] || acceptance "$terraform"
  # shellcheck disable=SC2086 # a list of packages
  with_cli "$tofu" -skip '^TestAcc' $others
  if [ -n "${TF_ACC_TERRAFORM_PATH:-}" ]; then
    :
  elif [ -n "$terraform" ]; then
    with_cli "$terraform" -short ./internal/provider ./examples
  else
    echo "== Terraform 1.9 or later is not on PATH: the tests with a CLI ran only with OpenTofu"
  fi
  echo "== random lives and silences"
  FIRST=61 SEEDS=${SEEDS:-500} go_test "go test" -run '^Test(Lives|Silence)$' ./internal/driver
  echo "== the contract with the service"
  dir=tools/contract go_test "go -C tools/contract test" ./...
  echo "== with the race detector"
  if command -v "$(CGO_ENABLED=1 go env CC)" >/dev/null; then
    FIRST=1001 SEEDS=20 CGO_ENABLED=1 GOFLAGS=-buildvcs=false go_test "go test -race" -race "${concurrent[@]}"
  else
    echo "there is no C compiler: the tests do not run with the race detector"
  fi
  echo "== with Wine"
  if command -v x86_64-w64-mingw32-as >/dev/null; then
    tools/wine.sh ./internal/throttle ./internal/sandbox ./internal/files || failed+=(tools/wine.sh)
  else
    echo "Wine is missing: the tests for Windows do not run"
  fi
}

case $mode in
  quick | cli) case " $*" in *" ."*) ;; *) set -- "$@" ./... ;; esac ;;
esac
case $mode in
  quick) go_test tools/test.sh -short "$@" ;;
  acc) acceptance "$(tools/cli.sh)" "$@" ;;
  cli) with_cli "${TF_ACC_TERRAFORM_PATH:-$(tools/cli.sh tofu)}" "$@" ;;
  all) all ;;
esac
if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED, with the command that repeats it:"
  printf '  %s\n' "${failed[@]}"
  exit 1
fi
echo "PASSED"
