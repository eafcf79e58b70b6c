#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/simulate.sh
#
# Runs the tests that take seeds with many of them: SEEDS (default 10000) simulated lives, and parts of that number
# of the others, from seed FIRST (default 1). tools/test.sh runs the same tests with fewer seeds.
set -euo pipefail
cd "$(dirname "$0")/.."

seeds=${SEEDS:-10000}
check() { # check SEEDS PACKAGE TEST
  SEEDS=$1 go test "$2" -run "^$3\$" -count=1 -v -timeout 60m | grep -v '^ *\(===\|---\)'
}
check "$seeds" ./internal/coretest TestSimulation
check $((seeds / 10)) ./internal/coretest TestNothingIsCarried
check $((seeds / 2)) ./internal/provider TestForms
check $((seeds / 2)) ./internal/spelling TestSpellings
