#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Runs go vet for all platforms in .goreleaser.yml, or for those in the arguments, such as
# windows_amd64.
set -euo pipefail
cd "$(dirname "$0")/.."

platforms=("$@")
if [ $# = 0 ]; then
  while read -r platform; do
    platforms+=("$platform")
  done < <(sed -nE 's/^      - ([a-z]+_[a-z0-9]+)$/\1/p' .goreleaser.yml)
fi
[ ${#platforms[@]} -gt 0 ] || { echo "vet: .goreleaser.yml names no platform" >&2; exit 1; }
for platform in "${platforms[@]}"; do
  echo "== $platform"
  GOOS=${platform%_*} GOARCH=${platform#*_} CGO_ENABLED=0 go vet ./...
done
