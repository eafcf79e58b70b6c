#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/mirror.sh DIR
#
# Builds the companion into .bin/assess, and the provider into DIR/mirror, a filesystem mirror, and writes the CLI
# configuration DIR/cli.tfrc, with which a CLI installs the provider from there.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mkdir -p "$1" && cd "$1" && pwd)

command -v go >/dev/null || {
  echo "Go is missing. Install the version in go.mod or a newer one: https://go.dev/dl/" >&2
  exit 1
}
echo "building the provider and the companion into .bin/ ..." >&2
mkdir -p .bin
# shellcheck source=tools/flags.sh
source tools/flags.sh
rm -f .bin/assess # go build cannot write to a program that runs
go build -o .bin/terraform-provider-assess . 2>"$dir/build.log" && go build -o .bin/assess ./cmd/assess 2>>"$dir/build.log" || {
  cat "$dir/build.log" >&2
  exit 1
}
# The newest version in the changelog, because configurations require it.
version=$(sed -nE '/^## [0-9]/{s/^## ([0-9.]+).*/\1/p;q;}' CHANGELOG.md)
[ -n "$version" ] || { echo "CHANGELOG.md has no version" >&2; exit 1; }
for host in registry.terraform.io registry.opentofu.org; do
  mirror="$dir/mirror/$host/assessascode/assess/$version/$(go env GOOS)_$(go env GOARCH)"
  mkdir -p "$mirror"
  rm -f "$mirror/terraform-provider-assess" # cp cannot write to a program that runs
  cp .bin/terraform-provider-assess "$mirror/"
done
cat >"$dir/cli.tfrc" <<RC
provider_installation {
  filesystem_mirror {
    path    = "$dir/mirror"
    include = ["assessascode/assess", "registry.terraform.io/assessascode/assess", "registry.opentofu.org/assessascode/assess"]
  }
  direct {
    exclude = ["assessascode/assess", "registry.terraform.io/assessascode/assess", "registry.opentofu.org/assessascode/assess"]
  }
}
RC
