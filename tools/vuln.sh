#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Looks for known vulnerabilities in all modules of the repository, over the network.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS=-buildvcs=false

mkdir -p .bin
go -C tools/vuln build -o "$PWD/.bin/govulncheck" golang.org/x/vuln/cmd/govulncheck
failed=0
for module in . tools/*/go.mod; do
  module=${module%/go.mod} packages=(./...)
  echo "== $module"
  [ -n "$(find "$module" -maxdepth 2 -name '*.go')" ] || packages=(-scan package tool)
  .bin/govulncheck -C "$module" -test "${packages[@]}" || failed=1
done
exit "$failed"
