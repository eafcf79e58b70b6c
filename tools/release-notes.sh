#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/release-notes.sh vX.Y.Z
#
# Prints the section of the changelog for a tag. Fails if the section is missing,
# if it has no date, or if CHANGELOG.md does not contain it.
set -euo pipefail
cd "$(dirname "$0")/.."
tag=$1
notes=.changes/$tag.md
[ -s "$notes" ] || { echo "release notes: $notes is missing or empty" >&2; exit 1; }
heading=$(head -n 1 "$notes")
[[ $heading =~ ^##\ ${tag#v}\ \([0-9]+\ [A-Z][a-z]+\ [0-9]{4}\)$ ]] ||
  { echo "release notes: the heading of $notes is \"$heading\", expected \"## ${tag#v} (DAY MONTH YEAR)\"" >&2; exit 1; }
[[ $(<CHANGELOG.md) == *"$(<"$notes")"* ]] || { echo "release notes: CHANGELOG.md does not contain $notes" >&2; exit 1; }
tail -n +2 "$notes"
