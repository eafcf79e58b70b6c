#!/usr/bin/env bash
# Fails with exit code 2 if the service differs from the repository: an apply would change it, or
# an assessment was attached outside the repository.
. "$(dirname "$0")/step.sh"
ci/plan.sh
code=0
ci/comment.sh drift || code=$?
if [ "$code" -eq 2 ]; then
  echo "Drift: see the plan above." >&2
fi
exit "$code"
