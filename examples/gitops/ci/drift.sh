#!/usr/bin/env bash
# Fails with 2 if the service is not what the repository says: something would be changed, or
# an assessment was attached elsewhere.
. "$(dirname "$0")/step.sh"
ci/plan.sh
code=0
ci/comment.sh drift || code=$?
if [ "$code" -eq 2 ]; then
  echo "Drift: see the plan above." >&2
fi
exit "$code"
