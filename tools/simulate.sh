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
check() { # check PART PACKAGE TEST: checks a part of the seeds, and at least one
  SEEDS=$(((seeds + $1 - 1) / $1)) go test "$2" -run "^$3\$" -count=1 -v -timeout 60m | grep -v '^ *\(===\|---\)'
}
check 1 ./internal/coretest TestSimulation
check 10 ./internal/coretest TestNothingIsCarried
check 2 ./internal/provider TestForms
check 2 ./internal/spelling TestSpellings
check 100 ./internal/throttle/redis TestWorlds
