#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Prints the path of the CLI that tests and the demo use:
#   tools/cli.sh            the one that TF_ACC_TERRAFORM_PATH names, else terraform or tofu
#                           from PATH, else OpenTofu, built here
#   tools/cli.sh tofu       OpenTofu: from PATH, else built here with all that the tests use
#   tools/cli.sh terraform  Terraform from PATH; prints nothing where there is none
# A CLI counts from version 1.12 on: older ones know no resource identity.
set -euo pipefail
cd "$(dirname "$0")/.."

recent() { # recent PATH: whether the CLI is there and new enough
  local version
  [ -x "$1" ] || return 1
  version=$(TF_CLI_CONFIG_FILE=/dev/null "$1" version 2>/dev/null | sed -nE '1s/^[A-Za-z]+ v([0-9]+)\.([0-9]+).*/\1 \2/p')
  [ -n "$version" ] || return 1
  read -r major minor <<<"$version"
  [ "$major" -gt 1 ] || [ "$minor" -ge 12 ]
}

from_path() { # from_path NAME
  local found
  found=$(command -v "$1") && recent "$found" && echo "$found"
}

build_tofu() { # build_tofu PATH [s3]
  recent "$1" || tools/tofu/build.sh "$PWD/$1" "${@:2}" >&2
  echo "$PWD/$1"
}

case "${1:-any}" in
  tofu) from_path tofu || build_tofu .bin/tests/tofu s3 ;;
  terraform) from_path terraform || true ;;
  any)
    if [ -n "${TF_ACC_TERRAFORM_PATH:-}" ]; then
      echo "$TF_ACC_TERRAFORM_PATH"
    else
      from_path terraform || from_path tofu || build_tofu .bin/tofu
    fi
    ;;
  *) echo "usage: tools/cli.sh [tofu|terraform]" >&2; exit 2 ;;
esac
