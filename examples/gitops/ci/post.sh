#!/usr/bin/env bash
#   ci/post.sh plan|apply|drift
#
# Posts the result of a run to GitHub or GitLab, even if the run failed. Results of plan and apply
# are comments of the pull request. Drift is an issue.
. "$(dirname "$0")/step.sh"
host=ci/gitlab.sh
if [ -n "${GITHUB_ACTIONS:-}" ]; then host=ci/github.sh; fi
[ ! -e out/skipped ] || exit 0 # the first commit
ci/comment.sh "$1"
case "$1" in
  drift) "$host" issue ;;
  *) "$host" comment ;;
esac
