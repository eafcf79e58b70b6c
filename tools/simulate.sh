#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/simulate.sh
#
# Runs the tests that take seeds with many of them: SEEDS (default 10000) random lives, and half of that number of
# changed responses, from seed FIRST (default 1). tools/test.sh runs the same tests with fewer seeds.
set -euo pipefail
cd "$(dirname "$0")/.."

seeds=${SEEDS:-10000}
check() { # check PART PACKAGE TEST: checks a part of the seeds, and at least one
  SEEDS=$(((seeds + $1 - 1) / $1)) go test "$2" -run "^$3\$" -count=1 -v -timeout 60m | grep -v '^ *\(===\|---\)'
}
check 1 ./internal/driver TestLives
check 2 ./internal/driver TestSilence
