# shellcheck shell=sh disable=SC2016,SC2034
# Part of run.sh: the API of GitHub. GH_TOKEN is the token of the job.
update=PATCH
ours='.user.login == $me and ((.body // "") | startswith($marker))'

api() { request "$1" "$GH_TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$2" "${3:-}"; }
pushed() { [ "$GITHUB_EVENT_NAME" = push ]; }
me() { echo '"github-actions[bot]"'; }
thread() { echo "issues/$(pull_request)/comments"; }
thread_item() { echo issues/comments; }

# The job of a fork has a token that cannot comment.
pull_request() {
  [ "${HEAD_REPOSITORY:-$GITHUB_REPOSITORY}" = "$GITHUB_REPOSITORY" ] || return 0
  echo "${PULL_REQUEST:-$(cat out/pull_request 2>/dev/null)}"
}

# reviewed: writes out/reviewed.json, which the plan of the pull request or of this run has uploaded.
# Everyone with write access can replace it, but then the plans differ, and nothing is applied.
reviewed() {
  rm -f out/reviewed.json
  number=$GITHUB_RUN_ID
  if pushed; then
    number=$(first "commits/$GITHUB_SHA/pulls?" 'select(.merged_at and .base.ref == $branch and .merge_commit_sha == $sha) |
      .number' --arg branch "$GITHUB_REF_NAME" --arg sha "$GITHUB_SHA")
    [ -n "$number" ] || return 0
    echo "$number" >out/pull_request
  fi
  # A later attempt, and a run that was started by hand, must not bring an old commit back.
  if [ "$GITHUB_EVENT_NAME $GITHUB_RUN_ATTEMPT" != "push 1" ]; then
    api GET "commits/$GITHUB_REF_NAME" >out/answer.json
    [ "$(jq --raw-output .sha out/answer.json)" = "$GITHUB_SHA" ] || {
      echo "There is a newer commit on $GITHUB_REF_NAME. Start the workflow \"Positions\" by hand."
      return 1
    }
  fi
  artifact=$(first "actions/artifacts?name=plan-$number&" 'select((.expired | not) and
    .workflow_run.head_repository_id == .workflow_run.repository_id) | .id')
  [ -n "$artifact" ] || return 0
  api GET "actions/artifacts/$artifact/zip" >out/reviewed.zip
  unzip -o -q out/reviewed.zip reviewed.json -d out
}

# sign_in: if AWS_ROLE_ARN is set, the state is opened with a token of this run instead of a key.
sign_in() {
  [ -n "${AWS_ROLE_ARN:-}" ] || return 0
  request GET "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=sts.amazonaws.com" >out/answer.json
  jq --raw-output .value out/answer.json >out/oidc.token
  export AWS_WEB_IDENTITY_TOKEN_FILE="$PWD/out/oidc.token"
}

issue() {
  if [ -e out/drift ]; then
    jq --null-input --rawfile body out/comment.md \
      '{title: "The service differs from the repository", body: $body}' >out/request.json
    publish "issues?state=open&" issues number
  else
    jq --null-input --rawfile body out/comment.md '{state: "closed", body: $body}' >out/request.json
    publish "issues?state=open&" issues number old
  fi
}
