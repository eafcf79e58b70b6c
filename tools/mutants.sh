#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Proves that tests notice defects. Each tools/mutants/GROUP/NAME.patch adds one defect to
# a temporary copy of the tree. Its line "test: ARGUMENTS" names the tests that must fail
# with the defect, and pass without it: go test ARGUMENTS. Its line "env: NAME=VALUE ..."
# sets their environment. Arguments are the groups to run, by default all. With --dry-run,
# the script only checks that every patch applies.
set -uo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --dry-run ]; then
  stale=0
  for patch in tools/mutants/*/*.patch; do
    patch -s -f -p1 --dry-run <"$patch" >/dev/null || { echo "$patch does not apply" >&2; stale=1; }
  done
  exit $stale
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree"
git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - | tar -xf - -C "$scratch/tree"

groups=("$@")
if [ ${#groups[@]} = 0 ]; then
  groups=($(cd tools/mutants && ls -d -- */ | tr -d /))
fi
# run_tests COMMAND: runs a command in the copy of the tree, and writes its output to a log.
run_tests() {
  (cd "$scratch/tree" && eval "$1") >"$scratch/log" 2>&1
}

declare -A passes # whether a command passes without a defect
printf '| mutant | defect | verdict |\n|---|---|---|\n'
survived=0
for group in "${groups[@]}"; do
  for patch in tools/mutants/"$group"/*.patch; do
    name=$group/$(basename "$patch" .patch)
    defect=$(sed -n '1p' "$patch")
    arguments=$(sed -n 's/^test: //p' "$patch" | head -n 1)
    environment=$(sed -n 's/^env: //p' "$patch" | head -n 1)
    command="env $environment go test -count=1 -timeout 20m $arguments"
    if [ -z "${passes[$command]:-}" ]; then
      run_tests "$command" && passes[$command]=yes || passes[$command]=no
    fi
    applied=no seed=
    if [ "${passes[$command]}" = no ]; then
      verdict="the test fails without the defect"
    elif ! patch -s -p1 -d "$scratch/tree" <"$patch" >"$scratch/log" 2>&1; then
      verdict="the patch does not apply"
    else
      applied=yes verdict=killed
      if run_tests "$command"; then
        verdict=SURVIVED
      elif grep -q -e '\[build failed\]' -e '\[setup failed\]' "$scratch/log"; then
        verdict="does not compile"
      fi
      seed=$(grep -o -m 1 'seed [0-9]* ' "$scratch/log")
    fi
    printf '| %s | %s | %s |\n' "$name" "$defect" "$verdict${seed:+ at ${seed% }}"
    [ "$verdict" = killed ] || { survived=$((survived + 1)); tail -n 5 "$scratch/log" >&2; }
    [ "$applied" = no ] || patch -s -R -p1 -d "$scratch/tree" <"$patch" >/dev/null 2>&1
  done
done
if [ "$survived" -gt 0 ]; then
  echo "$survived mutants were not killed" >&2
  exit 1
fi
