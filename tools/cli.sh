#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Prints the path of a CLI:
#   tools/cli.sh [any]      the path in TF_ACC_TERRAFORM_PATH. If it is not set: terraform or
#                           tofu from PATH. If there is none, OpenTofu is built
#   tools/cli.sh tofu       tofu from PATH. If there is none, OpenTofu is built
#   tools/cli.sh terraform  terraform from PATH, or nothing
# Versions before 1.9 are ignored, and a line on stderr says so. A second argument names another
# minor version: with 12, the CLI supports resource identity.
set -euo pipefail
cd "$(dirname "$0")/.."

floor=${2:-9}
recent() { # recent PATH: whether the CLI exists and is new enough
  local version
  [ -x "$1" ] || return 1
  version=$(TF_CLI_CONFIG_FILE=/dev/null "$1" version 2>/dev/null | sed -nE '1s/^[A-Za-z]+ v([0-9]+)\.([0-9]+).*/\1 \2/p')
  [ -n "$version" ] || return 1
  read -r major minor <<<"$version"
  [ "$major" -gt 1 ] || [ "$minor" -ge "$floor" ]
}

from_path() { # from_path NAME
  local found
  found=$(command -v "$1") || return 1
  recent "$found" || { echo "$found is ignored: version 1.$floor or later is required" >&2; return 1; }
  echo "$found"
}

build_tofu() {
  recent .bin/tofu || tools/tofu/build.sh "$PWD/.bin/tofu" >&2
  echo "$PWD/.bin/tofu"
}

case "${1:-any}" in
  tofu) from_path tofu || build_tofu ;;
  terraform) from_path terraform || true ;;
  any)
    if [ -n "${TF_ACC_TERRAFORM_PATH:-}" ]; then
      echo "$TF_ACC_TERRAFORM_PATH"
    else
      from_path terraform || from_path tofu || build_tofu
    fi
    ;;
  *) echo "usage: tools/cli.sh [any|tofu|terraform] [MINOR]" >&2; exit 2 ;;
esac
