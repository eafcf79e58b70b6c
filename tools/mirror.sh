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
echo "building the provider and the companion into .bin/: minutes, the first time ..." >&2
mkdir -p .bin
# shellcheck source=tools/flags.sh
source tools/flags.sh
build() { # build NAME PACKAGE: counts the compiled packages on a terminal
  rm -f ".bin/$1" # go build cannot write to a program that runs
  go build -v -o ".bin/$1" "$2" 2>&1 | tee "$dir/build.log" |
    if [ -t 2 ]; then awk '{ printf "\r%d packages compiled ", NR >"/dev/stderr" } END { if (NR) print "" >"/dev/stderr" }'; else cat >/dev/null; fi ||
    { cat "$dir/build.log" >&2; return 1; }
}
build terraform-provider-assess .
build assess ./cmd/assess
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
