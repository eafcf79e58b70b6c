#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Runs every fuzz target of the repository, each for FUZZTIME (default 10s).
# make test runs the same targets only with their seeds.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=0
while IFS=: read -r file name; do
  echo "== ./$(dirname "$file") $name"
  go test "./$(dirname "$file")" -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-10s}" -fuzzminimizetime 1x
  targets=$((targets + 1))
done < <(git ls-files -co --exclude-standard -- '*_test.go' | xargs grep -HoE '^func Fuzz[A-Za-z0-9_]+' | sed 's/:func /:/')
echo "$targets fuzz targets found nothing"
