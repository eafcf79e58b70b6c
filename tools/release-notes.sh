#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/release-notes.sh vX.Y.Z
#
# Prints the section of CHANGELOG.md for a tag. Fails if the section is missing or empty, or has no date.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1#v}
heading=$(grep -m 1 -F "## $version " CHANGELOG.md) ||
  { echo "release notes: CHANGELOG.md has no section \"## $version (DAY MONTH YEAR)\"" >&2; exit 1; }
[[ $heading =~ ^##\ [^\ ]+\ \([0-9]+\ [A-Z][a-z]+\ [0-9]{4}\)$ ]] ||
  { echo "release notes: the heading in CHANGELOG.md is \"$heading\", expected \"## $version (DAY MONTH YEAR)\"" >&2; exit 1; }
notes=$(awk -v heading="$heading" '/^## / { inside = $0 == heading; next } inside' CHANGELOG.md)
[ -n "${notes//[[:space:]]/}" ] || { echo "release notes: the section \"$heading\" is empty" >&2; exit 1; }
echo "$notes"
