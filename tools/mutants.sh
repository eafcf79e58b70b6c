#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Proves that tests notice defects. Each tools/mutants/GROUP/NAME.patch puts one
# defect into a temporary copy of the tree; its line "test: ARGUMENTS" says which
# tests (go test ARGUMENTS) must fail then. Arguments: the groups, default all.
set -uo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree"
git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - | tar -xf - -C "$scratch/tree"

groups=("$@")
if [ ${#groups[@]} = 0 ]; then
  groups=($(cd tools/mutants && ls -d -- */ | tr -d /))
fi
printf '| mutant | defect | verdict |\n|---|---|---|\n'
survived=0
for group in "${groups[@]}"; do
  for patch in tools/mutants/"$group"/*.patch; do
    name=$group/$(basename "$patch" .patch)
    defect=$(sed -n '1p' "$patch")
    arguments=$(sed -n 's/^test: //p' "$patch" | head -n 1)
    verdict=killed
    if ! patch -s -p1 -d "$scratch/tree" <"$patch" >"$scratch/log" 2>&1; then
      verdict="the patch does not apply"
    elif (cd "$scratch/tree" && eval "go test -count=1 -timeout 5m $arguments") >"$scratch/log" 2>&1; then
      verdict="SURVIVED"
    elif grep -q -e '\[build failed\]' -e '\[setup failed\]' "$scratch/log"; then
      verdict="does not compile"
    fi
    printf '| %s | %s | %s |\n' "$name" "$defect" "$verdict"
    [ "$verdict" = killed ] || { survived=$((survived + 1)); tail -n 5 "$scratch/log" >&2; }
    patch -s -R -p1 -d "$scratch/tree" <"$patch" >/dev/null 2>&1
  done
done
if [ "$survived" -gt 0 ]; then
  echo "$survived mutants were not killed" >&2
  exit 1
fi
