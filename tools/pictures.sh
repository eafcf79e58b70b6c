#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# What pages show:
#   tools/pictures.sh plan     in README.md: what a plan says if the benchmark in the configuration of the guide
#                              "Getting started" is for another locale
#   tools/pictures.sh comment  examples/gitops/comment.png: the comment in examples/gitops/README.md, in Chromium
#   tools/pictures.sh report   examples/report/report.png: a report of examples/report, in Chromium
#   tools/pictures.sh check    fails if what the plan says is out of date
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-}
case "$mode" in
  plan | comment | report | check) ;;
  *) echo "usage: tools/pictures.sh plan|comment|report|check" >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

photograph() { # photograph PAGE SIZE PICTURE
  local browser
  browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "Chromium is missing. On Debian: apt-get install chromium fonts-nanum" >&2
    return 1
  }
  "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" \
    --window-size="$2" --screenshot="$work/picture.png" "file://$1" 2>"$work/log" || { cat "$work/log" >&2; return 1; }
  cp "$work/picture.png" "$3"
}

if [ "$mode" = comment ]; then
  go -C tools/docs run . comment "$PWD/examples/gitops/README.md" >"$work/comment.html"
  photograph "$work/comment.html" 1100,412 examples/gitops/comment.png
  exit
fi

cli=$(tools/cli.sh)
tools/mirror.sh "$work"
export TF_CLI_CONFIG_FILE="$work/cli.tfrc" TF_IN_AUTOMATION=1
unset "${!TF_LOG@}" "${!TF_CLI_ARGS@}" "${!ASSESS_@}"

rejected() { # rejected: writes README.md with the errors of a plan, which Terraform and OpenTofu print in the same way
  awk '/^```hcl$/ { inside = 1; next } /^```$/ && inside { exit } inside' docs/guides/getting-started.md |
    sed 's/= data\.assess_position\.backend\.locale$/= "de-DE"/' >"$work/main.tf"
  "$cli" -chdir="$work" init -no-color >"$work/log" || { cat "$work/log" >&2; return 1; }
  "$cli" -chdir="$work" plan -no-color >"$work/log" 2>&1 && { echo "the plan does not reject another locale" >&2; return 1; }
  grep -q 'Benchmark of another locale' "$work/log" || { cat "$work/log" >&2; return 1; }
  # README.md shows one CLI, whichever has run.
  sed -n '/^Error: /,$p' "$work/log" | sed 's/\btofu /terraform /g; s/ *$//' >"$work/errors"
  awk -v errors="$work/errors" '
    /^\$ terraform plan$/ { print; while ((getline line <errors) > 0) print line; skip = 1; next }
    /^```$/ { skip = 0 }
    !skip' README.md
}

report() { # report: writes report.png
  cp examples/report/*.tf examples/report/write.sh "$work"
  (
    cd "$work"
    "$cli" init -no-color >/dev/null
    "$cli" apply -no-color -auto-approve >/dev/null
    ./write.sh out "$cli" >/dev/null
  )
  photograph "$work/out/pos-graduates-2026.html" 1180,980 examples/report/report.png
}

case "$mode" in
  plan)
    rejected >"$work/README.md"
    cp "$work/README.md" README.md
    ;;
  report) report ;;
  check)
    rejected >"$work/README.md"
    cmp -s "$work/README.md" README.md || { echo "README.md is out of date: run tools/pictures.sh plan" >&2; exit 1; }
    ;;
esac
