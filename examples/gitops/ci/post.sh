#!/usr/bin/env bash
#   ci/post.sh plan|apply|drift
#
# Says on GitHub or GitLab what a run has done, also if it failed: plan and apply as comments of
# the pull request, drift as an issue.
. "$(dirname "$0")/step.sh"
host=ci/gitlab.sh
if [ -n "${GITHUB_ACTIONS:-}" ]; then host=ci/github.sh; fi
[ ! -e out/skipped ] || exit 0 # the first commit
code=0
ci/comment.sh "$1" || code=$?
case "$1 $code" in
  "drift 0") DRIFT=false "$host" issue ;;
  "drift 2") DRIFT=true "$host" issue ;;
  "plan 0" | "apply 0") "$host" comment ;;
  *) exit "$code" ;;
esac
