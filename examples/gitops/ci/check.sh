#!/usr/bin/env bash
# Checks the format, and runs the tests on an embedded service. The tests apply, so they are not
# read-only, and they get no credentials.
. "$(dirname "$0")/step.sh"
if on_snapshot; then
  use_snapshot
  step init tofu init -no-color -backend=false -lockfile=readonly
fi
step fmt tofu fmt -no-color -check -diff -recursive
step test env -u ASSESS_BASE_URL -u ASSESS_CLIENT_ID -u ASSESS_API_KEY ASSESS_READ_ONLY=false \
  "${CLI:-tofu}" test -no-color
