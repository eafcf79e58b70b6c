#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Prints the path of a CLI:
#   tools/cli.sh [any]      the path in TF_ACC_TERRAFORM_PATH. If it is not set: terraform or
#                           tofu from PATH. If there is none, OpenTofu is built
#   tools/cli.sh identity   the same, but Terraform 1.12 or OpenTofu 1.12, or later, whose schema
#                           has resource identities
#   tools/cli.sh tofu       tofu from PATH. If there is none, OpenTofu is built
#   tools/cli.sh terraform  terraform from PATH, or nothing
# Older ones than Terraform 1.9 and OpenTofu 1.10 are ignored, and a line on stderr says so.
set -euo pipefail
cd "$(dirname "$0")/.."

terraform_floor=9 tofu_floor=10
[ "${1:-}" != identity ] || terraform_floor=12 tofu_floor=12

recent() { # recent PATH: whether the CLI exists and is new enough
  local name major minor floor=$terraform_floor
  [ -x "$1" ] || return 1
  read -r name major minor <<<"$(TF_CLI_CONFIG_FILE=/dev/null "$1" version 2>/dev/null | sed -nE '1s/^([A-Za-z]+) v([0-9]+)\.([0-9]+).*/\1 \2 \3/p')"
  [ -n "${minor:-}" ] || return 1
  [ "$name" != OpenTofu ] || floor=$tofu_floor
  [ "$major" -gt 1 ] || [ "$minor" -ge "$floor" ]
}

from_path() { # from_path NAME
  local found
  found=$(command -v "$1") || return 1
  recent "$found" || {
    echo "$found is ignored: Terraform 1.$terraform_floor or OpenTofu 1.$tofu_floor is required, or later" >&2
    return 1
  }
  echo "$found"
}

build_tofu() {
  recent .bin/tofu || tools/tofu/build.sh "$PWD/.bin/tofu" >&2
  echo "$PWD/.bin/tofu"
}

case "${1:-any}" in
  tofu) from_path tofu || build_tofu ;;
  terraform) from_path terraform || true ;;
  any | identity)
    if [ -n "${TF_ACC_TERRAFORM_PATH:-}" ]; then
      echo "$TF_ACC_TERRAFORM_PATH"
    else
      from_path terraform || from_path tofu || build_tofu
    fi
    ;;
  *) echo "usage: tools/cli.sh [any|identity|tofu|terraform]" >&2; exit 2 ;;
esac
