#!/usr/bin/env bash
#   ci/init.sh [COMMAND...]
#
# Empties out/, runs the command, installs the provider of the lock file, and initializes the state.
# The apply downloads the reviewed plan with the command. So if a later step fails, the number of
# the pull request is known, and the comment can say so.
. "$(dirname "$0")/step.sh"
rm -rf out && mkdir out
"$@"

has_lock() {
  [ -s .terraform.lock.hcl ] || {
    echo 'There is no .terraform.lock.hcl. Run "make lock" and commit the file.'
    return 1
  }
}
step lock has_lock
if on_snapshot; then
  echo "There is no API key, so the plan uses snapshot.json. See README.md."
else
  step init tofu init -no-color -lockfile=readonly
fi
