#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# tools/debian.sh PROGRAM USE [PACKAGE...]: installs packages of Debian, unless PROGRAM is on PATH or this
# user may not install packages. The default is the package PROGRAM. If that fails, a line on stderr says
# that USE is skipped.
set -euo pipefail
program=$1 use=$2
shift 2
[ $# -gt 0 ] || set -- "$program"

if command -v "$program" >/dev/null || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  exit 0
fi
echo "installing Debian's $* for $use ..." >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
(apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@") >"$log" 2>&1 || {
  tail -n 3 "$log" >&2
  echo "$* could not be installed: skipping $use" >&2
}
