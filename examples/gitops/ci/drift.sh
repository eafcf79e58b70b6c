#!/usr/bin/env bash
# Fails with exit code 2 if the service differs from the repository: an apply would change it, or
# an assessment was attached outside the repository.
. "$(dirname "$0")/step.sh"
ci/plan.sh
ci/comment.sh drift
if [ -e out/drift ]; then
  echo "Drift: see the plan above." >&2
  exit 2
fi
