#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/try.sh DIR
#
# Builds the provider, and creates the folder DIR, in which Terraform and OpenTofu install this build, because they look into
# terraform.d/plugins of the current folder. If DIR has no configuration yet, it gets the one of the guide "Getting started". If its
# configuration uses modules of this repository, clone_override.tf replaces their sources by those of the clone.
# A link to the companion "assess" is added. Files that exist are not changed.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/.bin

[ -n "${1:-}" ] || {
  echo "Name a folder for your configuration, which is created if it does not exist: make try DIR=../positions" >&2
  exit 2
}
dir=$(mkdir -p "$1" && cd "$1" && pwd)
plugins=$dir/terraform.d/plugins
[ ! -e "$plugins" ] || [ "$plugins" -ef "$bin/mirror" ] || {
  echo "$plugins contains other providers. Choose another folder, or move it." >&2
  exit 1
}

tools/mirror.sh "$bin"
cli=$(tools/cli.sh)
name=${cli##*/}
mkdir -p "$dir/terraform.d"
[ -e "$dir/assess" ] || ln -sfn "$bin/assess" "$dir/assess"
[ -e "$plugins" ] || ln -sfn "$bin/mirror" "$plugins"
compgen -G "$dir/*.tf" >/dev/null || compgen -G "$dir/*.tofu" >/dev/null ||
  awk '/^```hcl$/ { inside = 1; next } /^```$/ && inside { exit } inside' docs/guides/getting-started.md >"$dir/main.tf"
modules=$(shopt -s nullglob && awk -v clone="$PWD" '
  /^module "/ { module = $2 }
  /terraform-provider-assess/ && match($0, "//modules/[a-z]+") {
    printf "module %s {\n  source = \"%s\"\n}\n", module, clone substr($0, RSTART + 1, RLENGTH - 1)
  }' /dev/null "$dir"/*.tf "$dir"/*.tofu)
[ -z "$modules" ] || [ -e "$dir/clone_override.tf" ] || echo "$modules" >"$dir/clone_override.tf"
if [ "$(command -v "$name")" != "$cli" ]; then
  [ -e "$dir/$name" ] || ln -sfn "$cli" "$dir/$name"
  name=./$name
fi
printf '\nNow run:\n\n  cd %q\n' "$dir"
printf '  %s %s\n' "$name" init "$name" plan "$name" apply "$name" plan
