#!/usr/bin/env bash
# Calls the API of GitHub.
#
#   ci/github.sh comment    creates or updates the comment of the pull request
#   ci/github.sh reviewed   downloads the plan that was reviewed, and the number of its pull request
#   ci/github.sh issue      opens, updates or closes the issue about drift
#
# GH_TOKEN is the token of the job. Earlier comments are found by their first line and author.
. "$(dirname "$0")/api.sh"
author=${COMMENT_AUTHOR:-github-actions[bot]}
ours='.user.login == $author and ((.body // "") | startswith($marker))'

api() { request "$1" "$GH_TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$2" "${3:-}"; }

comment() {
  local number=${PULL_REQUEST:-$(cat out/pull_request 2>/dev/null || true)} old
  cat out/comment.md >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  if [ -z "$number" ] || [ "${HEAD_REPOSITORY:-$GITHUB_REPOSITORY}" != "$GITHUB_REPOSITORY" ]; then
    echo "This run cannot comment on a pull request. The summary of the run shows the comment."
    return
  fi
  jq --null-input --rawfile body out/comment.md '{body: $body}' >out/request.json
  old=$(first "issues/$number/comments?" "select($ours) | .id" --arg author "$author" --arg marker "$(marker)")
  if [ -n "$old" ]; then
    api PATCH "issues/comments/$old" out/request.json | jq --raw-output .html_url
  else
    api POST "issues/$number/comments" out/request.json | jq --raw-output .html_url
  fi
}

reviewed() {
  local pull number head run artifact
  pull=$(first "commits/$GITHUB_SHA/pulls?" 'select(.merged_at and .base.ref == $branch and .merge_commit_sha == $sha)
    | "\(.number) \(.head.sha)"' --arg branch "$GITHUB_REF_NAME" --arg sha "$GITHUB_SHA")
  [ -n "$pull" ] || nothing_reviewed "No pull request led to this commit."
  read -r number head <<<"$pull"
  echo "$number" >out/pull_request
  # A plan from a fork is not trusted: the fork controls what its run uploads. A fork can contain the
  # same commit.
  run=$(first "actions/workflows/positions.yml/runs?event=pull_request&status=success&head_sha=$head&" \
    'select(.head_repository.id == .repository.id) | .id')
  [ -n "$run" ] || nothing_reviewed "The pull request has no successful plan from this repository."
  artifact=$(first "actions/runs/$run/artifacts?name=plan&" 'select(.expired == false) | .id')
  [ -n "$artifact" ] || nothing_reviewed "The pull request has no plan that can be applied, or it has expired."
  api GET "actions/artifacts/$artifact/zip" >out/plan.zip
  unzip -o -q out/plan.zip plan.bin plan.tree -d out
}

issue() {
  local old
  old=$(first "issues?state=open&" "select((.pull_request | not) and $ours) | .number" \
    --arg author "$author" --arg marker "$(marker)")
  if [ -e out/drift ]; then
    jq --null-input --rawfile body out/comment.md \
      '{title: "The service differs from the repository", body: $body}' >out/request.json
  else
    [ -n "$old" ] || return 0
    jq --null-input --rawfile body out/comment.md '{state: "closed", body: $body}' >out/request.json
  fi
  if [ -n "$old" ]; then
    api PATCH "issues/$old" out/request.json | jq --raw-output .html_url
  else
    api POST issues out/request.json | jq --raw-output .html_url
  fi
}

"$1"
