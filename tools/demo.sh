#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Applies examples/quickstart to the sandbox, in a temporary folder, and writes a report into .bin/report.
set -euo pipefail
cd "$(dirname "$0")/.."

echo 'The first run builds the provider, and OpenTofu if neither it nor Terraform is installed. This takes minutes.'
cli=$(tools/cli.sh)
name=$(basename "$cli")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp examples/quickstart/*.tf "$work"
tools/mirror.sh "$work"
export TF_CLI_CONFIG_FILE="$work/cli.tfrc" TF_IN_AUTOMATION=1 XDG_CACHE_HOME="$work/cache"
unset "${!TF_LOG@}" "${!ASSESS_@}"

step() { # step COMMENT ARGUMENTS...: shows and runs the CLI
  printf '\n# %s\n$ %s %s\n' "$1" "$name" "${*:2}"
  "$cli" -chdir="$work" "${@:2}" -no-color | { grep -vE ': (Reading|Creating|Refreshing state)\.\.\.|: Read complete' || true; }
}
quietly() { # quietly ARGUMENTS...: runs the CLI, and shows what it prints only if it fails
  "$cli" -chdir="$work" "$@" -no-color >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

quietly init
printf '\n# The plan is checked against the service. Nothing has changed yet.\n$ %s plan -out=plan\n' "$name"
quietly plan -out=plan
grep -E '^  # .* will be|^Plan:' "$work/log"
step 'The apply makes these changes, and stays within the rate limits.' apply plan
step 'A second plan is empty.' plan -detailed-exitcode

printf '\n# The companion assess writes a report on the invented candidates of the sandbox.\n'
printf '$ assess report .bin/report --sandbox assess-sandbox.json\n'
.bin/assess report .bin/report --overwrite --sandbox "$work/assess-sandbox.json" 2>/dev/null
cat <<'TEXT'

The demo used the sandbox. Its data has been deleted.

To use the provider yourself:       make try DIR=../positions
To see the pages of the service:    .bin/assess sandbox
To use the real service:            in a new folder, leave out the block "sandbox {}" and set
                                    ASSESS_BASE_URL, ASSESS_CLIENT_ID and ASSESS_API_KEY
TEXT
