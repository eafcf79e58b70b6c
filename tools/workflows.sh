#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Checks the workflows of this repository and of the examples, our action, and the script of the pipelines. actionlint
# runs shellcheck on the scripts in workflows. Without shellcheck, no script is checked, except in CI, where that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
all=("$PWD"/.github/workflows/*.yml "$PWD"/examples/*/github/.github/workflows/*.yml)
failed=0

tools/debian.sh shellcheck "the checks of scripts"
# This version of actionlint does not know the key "queue" yet.
go -C tools/workflows tool actionlint -ignore '^unexpected key "queue" for "concurrency" section' "${all[@]}" || failed=1
if [ -n "${CI:-}" ] || command -v shellcheck >/dev/null; then
  shellcheck pipeline/pipeline.sh || failed=1
fi
# A tag can be moved to other code, a commit cannot.
if grep -HE '^ *(- )?uses: ' "${all[@]}" pipeline/action.yml | grep -vE 'uses: (\./|assessascode/terraform-provider-assess/|[A-Za-z0-9_./-]+@[0-9a-f]{40} # v[0-9.]+$)'; then
  echo "workflows: name the commit of an action, and its version in a comment" >&2
  failed=1
fi
go -C tools/workflows test -count=1 ./... || failed=1
exit "$failed"
