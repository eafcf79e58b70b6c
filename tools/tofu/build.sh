#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/tofu/build.sh PATH
#
# Builds OpenTofu from its Go module, without the parts that prune.sh removes.
set -euo pipefail
cd "$(dirname "$0")"
out=$1
mkdir -p "$(dirname "$out")"
# shellcheck source=tools/flags.sh
source ../flags.sh
cpu_minutes=3 # with empty caches
version=$(go list -m -f '{{.Version}}' github.com/opentofu/opentofu)
cores=$(getconf _NPROCESSORS_ONLN)
cat <<TEXT
There is no Terraform or OpenTofu 1.9 or later on PATH. Building OpenTofu $version, once:
about $((cpu_minutes / cores + 1)) minutes on $cores idle cores.
To skip this, install OpenTofu (https://opentofu.org/docs/intro/install) or set
TF_ACC_TERRAFORM_PATH to the path of a CLI.
TEXT

work=$(mktemp -d)
log=$work/log
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT # background jobs ignore Ctrl-C
go -C ../.. list -deps . >/dev/null 2>&1 & # downloads the modules of the provider at the same time
build() {
  mkdir "$work/source"
  ./prune.sh "$work/source"
  go list -modfile "$work/source/go.mod" -deps github.com/opentofu/opentofu/cmd/tofu >"$work/packages"
  exec go build -v -modfile "$work/source/go.mod" \
    -ldflags '-s -w -X github.com/opentofu/opentofu/version.dev=no' -o "$out" github.com/opentofu/opentofu/cmd/tofu
}
build >"$log" 2>&1 &
builder=$!

# A terminal shows the progress on one line. Logs get a line for each quarter.
next=25
while sleep 1 && kill -0 "$builder" 2>/dev/null; do
  [ -f "$work/packages" ] || continue
  compiled=$(grep -vc '^go: ' "$log" || true)
  percent=$((100 * compiled / ($(wc -l <"$work/packages") + 1)))
  if [ -t 1 ]; then
    printf '\r  %d %% of the packages, %d s ' "$percent" "$SECONDS"
  elif [ "$percent" -ge "$next" ]; then
    printf '  %d %% of the packages, %d s\n' "$percent" "$SECONDS"
    next=$((percent / 25 * 25 + 25))
  fi
done
[ -t 1 ] && printf '\r\033[K'
wait "$builder" || {
  cat "$log"
  exit 1
}
