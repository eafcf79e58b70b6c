#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Prints the path of the CLI that tests and the demo use:
#   tools/cli.sh            the one that TF_ACC_TERRAFORM_PATH names, else terraform or tofu
#                           from PATH, else OpenTofu, built here
#   tools/cli.sh tofu       OpenTofu: from PATH, else built here
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

build_tofu() {
  if ! recent .bin/tofu; then
    echo "building OpenTofu from its Go module into .bin/: once, about three minutes ..." >&2
    mkdir -p .bin
    (cd tools/tofu && CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -trimpath -ldflags '-s -w -X github.com/opentofu/opentofu/version.dev=no' \
      -o ../../.bin/tofu github.com/opentofu/opentofu/cmd/tofu) &
    local build=$! waited=0
    trap "kill $build 2>/dev/null || true" EXIT # what runs in the background ignores Ctrl-C
    while sleep 1 && kill -0 "$build" 2>/dev/null; do
      ((++waited % 30)) || echo "  still building, after $SECONDS s ..." >&2
    done
    wait "$build"
  fi
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
  *) echo "usage: tools/cli.sh [tofu|terraform]" >&2; exit 2 ;;
esac
