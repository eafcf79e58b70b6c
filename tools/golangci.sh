#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Prints the path of golangci-lint in the version of tools/lint/go.mod: the one from PATH, or the one that
# this script builds into .bin/.
set -euo pipefail
cd "$(dirname "$0")/.."

package=github.com/golangci/golangci-lint/v2
version=$(sed -nE "s#^\s*$package v([0-9.]+).*#\1#p" tools/lint/go.mod)
[ -n "$version" ] || { echo "tools/lint/go.mod does not require $package" >&2; exit 1; }
found=$(command -v golangci-lint) || found=
if [ -n "$found" ] && [ "$("$found" version --short 2>/dev/null)" = "$version" ]; then
  echo "$found"
  exit
fi
built=$PWD/.bin/golangci-lint
if [ ! -x "$built" ] || [ tools/lint/go.mod -nt "$built" ]; then
  echo "golangci-lint $version is not on PATH. Building it into .bin/, once: about five minutes of CPU time." >&2
  mkdir -p .bin
  go -C tools/lint build -o "$built" "$package/cmd/golangci-lint"
  touch "$built"
fi
echo "$built"
