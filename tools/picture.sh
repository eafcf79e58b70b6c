#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Takes the picture of a report that the documentation shows,
# examples/report/report.png: applies examples/report on the embedded service, and
# opens its page in Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "Chromium is missing. On Debian: apt-get install chromium" >&2
  exit 1
}
cli=$(tools/cli.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp examples/report/*.tf examples/report/write.sh "$work"
tools/mirror.sh "$work"
export TF_CLI_CONFIG_FILE="$work/cli.tfrc" TF_IN_AUTOMATION=1
unset "${!TF_LOG@}" "${!ASSESS_@}"
cd "$work"
"$cli" init -no-color >/dev/null
"$cli" apply -no-color -auto-approve >/dev/null
./write.sh out "$cli" >/dev/null
cd - >/dev/null

"$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
  --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" \
  --window-size=1180,980 --screenshot="$work/report.png" "file://$work/out/pos-graduates-2026.html" 2>"$work/log" ||
  { cat "$work/log" >&2; exit 1; }
cp "$work/report.png" examples/report/report.png
ls -l examples/report/report.png
