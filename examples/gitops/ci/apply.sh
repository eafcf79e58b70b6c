#!/usr/bin/env bash
# Applies plan.bin, made by ci/plan.sh, if what was merged is what was planned.
# The CLI itself refuses a plan whose state has changed since.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(cat plan.tree)" != "$(git rev-parse 'HEAD^{tree}')" ]; then
  echo "What was merged is not what was planned: the main branch had moved on." >&2
  echo "Open a pull request again. Requiring branches to be up to date before they are merged prevents this." >&2
  exit 1
fi
tofu apply -no-color -lock-timeout=10m plan.bin
