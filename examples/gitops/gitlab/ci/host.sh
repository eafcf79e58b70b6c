# shellcheck shell=sh disable=SC2016,SC2034
# Part of run.sh: the API of GitLab. GITLAB_TOKEN is a project access token with the scope "api".
update=PUT
ours='.author.id == $me and ((.body // .description // "") | startswith($marker))'

api() { request "$1" "$GITLAB_TOKEN" "$CI_API_V4_URL/projects/$CI_PROJECT_ID/$2" "${3:-}"; }
pushed() { [ "$CI_PIPELINE_SOURCE" = push ]; }
me() { request GET "$GITLAB_TOKEN" "$CI_API_V4_URL/user" | jq .id; }
thread() { echo "merge_requests/$(pull_request)/notes"; }
thread_item() { thread; }

pull_request() {
  [ -z "${GITLAB_TOKEN:-}" ] || echo "${CI_MERGE_REQUEST_IID:-$(cat out/pull_request 2>/dev/null)}"
}

# reviewed: writes out/reviewed.json, which the plan of the merge request or of this pipeline has
# kept. A member can replace it, but then the plans differ, and nothing is applied.
reviewed() {
  pushed || return 0 # an artifact of this pipeline is in out/ already
  rm -f out/reviewed.json
  [ -n "${GITLAB_TOKEN:-}" ] || return 0
  number=$(first "repository/commits/$CI_COMMIT_SHA/merge_requests?" 'select(.state == "merged" and .target_branch == $branch
    and ([.sha, .merge_commit_sha, .squash_commit_sha] | index($sha)) and .source_project_id == .target_project_id) | .iid' \
    --arg branch "$CI_DEFAULT_BRANCH" --arg sha "$CI_COMMIT_SHA")
  [ -n "$number" ] || return 0
  echo "$number" >out/pull_request
  pipeline=$(first "merge_requests/$number/pipelines?" 'select(.status == "success" and .project_id == $project) | .id' \
    --argjson project "$CI_PROJECT_ID")
  [ -n "$pipeline" ] || return 0
  job=$(first "pipelines/$pipeline/jobs?" 'select(.name == "plan" and .artifacts_file) | .id')
  [ -n "$job" ] || return 0
  api GET "jobs/$job/artifacts/out/reviewed.json" >out/reviewed.json
}

# sign_in: if AWS_ROLE_ARN is set, the state is opened with a token of this job instead of a key.
sign_in() {
  [ -n "${AWS_ROLE_ARN:-}" ] || return 0
  echo "$OIDC_TOKEN" >out/oidc.token
  export AWS_WEB_IDENTITY_TOKEN_FILE="$PWD/out/oidc.token"
}

issue() {
  [ -n "${GITLAB_TOKEN:-}" ] || return 0
  if [ -e out/drift ]; then
    jq --null-input --rawfile text out/comment.md \
      '{title: "The service differs from the repository", description: $text}' >out/request.json
    publish "issues?state=opened&scope=all&" issues iid
  else
    jq --null-input --rawfile text out/comment.md '{state_event: "close", description: $text}' >out/request.json
    publish "issues?state=opened&scope=all&" issues iid old
  fi
}
