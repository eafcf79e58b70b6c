#!/usr/bin/env bash
# Calls the API of GitLab.
#
#   ci/gitlab.sh comment    creates or updates the comment of the merge request
#   ci/gitlab.sh reviewed   downloads the plan that was reviewed, and the number of its merge request
#   ci/gitlab.sh issue      opens, updates or closes the issue about drift
#
# GITLAB_TOKEN is a project access token with the scope "api". Earlier comments are found by their
# first line and author.
. "$(dirname "$0")/api.sh"
ours='.author.id == $me and ((.body // .description // "") | startswith($marker))'

api() { request "$1" "$GITLAB_TOKEN" "$CI_API_V4_URL/projects/$CI_PROJECT_ID/$2" "${3:-}"; }
me() { request GET "$GITLAB_TOKEN" "$CI_API_V4_URL/user" | jq .id; }

comment() {
  local number=${CI_MERGE_REQUEST_IID:-$(cat out/pull_request 2>/dev/null || true)} old
  if [ -z "${GITLAB_TOKEN:-}" ] || [ -z "$number" ]; then
    echo "Could not post this comment, because there is no GITLAB_TOKEN or no merge request:"
    cat out/comment.md
    return
  fi
  jq --null-input --rawfile body out/comment.md '{body: $body}' >out/request.json
  old=$(first "merge_requests/$number/notes?" "select($ours) | .id" \
    --argjson me "$(me)" --arg marker "$(marker)")
  if [ -n "$old" ]; then
    api PUT "merge_requests/$number/notes/$old" out/request.json >out/answer.json
  else
    api POST "merge_requests/$number/notes" out/request.json >out/answer.json
  fi
}

reviewed() {
  local request number head pipeline job file
  [ -n "${GITLAB_TOKEN:-}" ] || nothing_reviewed "Could not download the reviewed plan, because there is no GITLAB_TOKEN."
  request=$(first "repository/commits/$CI_COMMIT_SHA/merge_requests?" 'select(.state == "merged"
    and .target_branch == $branch and ([.sha, .merge_commit_sha, .squash_commit_sha] | index($sha)))
    | "\(.iid) \(.sha)"' \
    --arg branch "$CI_DEFAULT_BRANCH" --arg sha "$CI_COMMIT_SHA")
  [ -n "$request" ] || nothing_reviewed "No merge request led to this commit."
  read -r number head <<<"$request"
  echo "$number" >out/pull_request
  pipeline=$(first "merge_requests/$number/pipelines?" 'select(.sha == $head and .project_id == $project) | .id' \
    --arg head "$head" --argjson project "$CI_PROJECT_ID")
  [ -n "$pipeline" ] || nothing_reviewed "The merge request has no pipeline."
  job=$(first "pipelines/$pipeline/jobs?scope%5B%5D=success&" 'select(.name == "plan" and .artifacts_file) | .id')
  [ -n "$job" ] || nothing_reviewed "The merge request has no successful plan that can be applied, or it has expired."
  for file in plan.bin plan.tree; do
    api GET "jobs/$job/artifacts/out/$file" >"out/$file"
  done
}

issue() {
  local old
  if [ -z "${GITLAB_TOKEN:-}" ]; then
    echo "Could not open or update an issue, because there is no GITLAB_TOKEN."
    return
  fi
  old=$(first "issues?state=opened&scope=all&" "select($ours) | .iid" \
    --argjson me "$(me)" --arg marker "$(marker)")
  if [ -e out/drift ]; then
    jq --null-input --rawfile text out/comment.md \
      '{title: "The service differs from the repository", description: $text}' >out/request.json
  else
    [ -n "$old" ] || return 0
    jq --null-input --rawfile text out/comment.md '{state_event: "close", description: $text}' >out/request.json
  fi
  if [ -n "$old" ]; then
    api PUT "issues/$old" out/request.json >out/answer.json
  else
    api POST issues out/request.json >out/answer.json
  fi
}

"$1"
