#!/usr/bin/env bash
# Installs the provider that the lock file names, and opens the state.
. "$(dirname "$0")/step.sh"
rm -rf out && mkdir out

has_lock() {
  [ -s .terraform.lock.hcl ] || {
    echo 'There is no .terraform.lock.hcl. Run "make lock" and commit the file.'
    return 1
  }
}
step lock has_lock
if on_snapshot; then
  echo "There is no key: the plan uses snapshot.json, see README.md."
else
  step init tofu init -no-color -lockfile=readonly
fi
