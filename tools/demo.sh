#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Applies examples/quickstart on the embedded service, from nothing, in a folder
# that is gone afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v go >/dev/null || {
  echo "Go is missing. Install the version that go.mod names, or a newer one: https://go.dev/dl/" >&2
  exit 1
}
cli=$(tools/cli.sh)
name=$(basename "$cli")
echo "building the provider into .bin/ ..." >&2
mkdir -p .bin
go build -trimpath -o .bin/terraform-provider-assess .

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp examples/quickstart/*.tf "$work"

# The CLI finds the provider as a released one would be found, in a mirror.
for host in registry.terraform.io registry.opentofu.org; do
  mirror="$work/mirror/$host/assessascode/assess/0.0.1/$(go env GOOS)_$(go env GOARCH)"
  mkdir -p "$mirror"
  cp .bin/terraform-provider-assess "$mirror/"
done
cat >"$work/demo.tfrc" <<RC
provider_installation {
  filesystem_mirror { path = "$work/mirror" }
}
RC
export TF_CLI_CONFIG_FILE="$work/demo.tfrc" TF_IN_AUTOMATION=1 XDG_CACHE_HOME="$work/cache"
unset "${!TF_LOG@}" "${!ASSESS_@}"

step() { # step COMMENT ARGUMENTS...: shows and runs the CLI
  printf '\n# %s\n$ %s %s\n' "$1" "$name" "${*:2}"
  "$cli" -chdir="$work" "${@:2}" -no-color | { grep -vE ': (Reading|Creating|Refreshing state)\.\.\.|: Read complete' || true; }
}
quietly() { "$cli" -chdir="$work" "$@" -no-color >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }

quietly init
printf '\n# The plan: checked against the service, nothing written yet.\n$ %s plan -out=plan\n' "$name"
quietly plan -out=plan
grep -E '^  # .* will be|^Plan:' "$work/log"
step 'The apply: one request for each resource, within the limits.' apply plan
step 'A second plan is empty.' plan -detailed-exitcode
cat <<'TEXT'

That was the embedded service: its state was a file, and is gone.

To see it with your own eyes:   terraform-provider-assess -sandbox 127.0.0.1:8377   (built: .bin/)
To use the real service:        remove the block "sandbox {}" and set
                                ASSESS_BASE_URL, ASSESS_CLIENT_ID and ASSESS_API_KEY
TEXT
