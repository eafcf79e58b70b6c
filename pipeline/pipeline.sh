#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# The steps of a pipeline, which action.yml runs on GitHub, and gitlab.yml on GitLab:
#
#   pipeline.sh plan                plans, and fails if the plan must be corrected
#   pipeline.sh apply               plans again, and applies that plan if it does what was reviewed
#   pipeline.sh drift               plans, and fails if the service differs from the repository
#   pipeline.sh comment KIND        posts the comment about a plan, an apply or drift
#   pipeline.sh report ARGUMENT...  writes a report to the folder report, or sends it to UPLOAD_URL
#
# The folder out contains plans in plain text. Never upload it, except for out/reviewed.json, which has no values.
set -euo pipefail
umask 077
mkdir -p out
cli=${CLI:-tofu}
export TF_IN_AUTOMATION=1 TF_INPUT=0 ASSESS_READ_ONLY=true

on_github() { [ -n "${GITHUB_ACTIONS:-}" ]; }

scratch=$(mktemp -d)
token=
trap 'rm -rf "$scratch"; [ -z "$token" ] || echo "::$token::"' EXIT
if on_github; then # which must not run commands such as "::error::" that a service or a pull request has written
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
fi

# step NAME FILE COMMAND...: runs a command, writes its output to FILE, and shows it without control characters. As long
# as out/failed exists, the step is not done, so that a comment about a run that was stopped names the step.
step() {
  local name=$1 file=$2
  shift 2
  echo "$name" >out/failed
  "$@" 2>&1 | tee "$file" | jq --raw-input --raw-output --unbuffered '
    . as $line | (fromjson? | objects | ."@message") // $line | gsub("[\\p{Cc}\\p{Cf}]"; " ")' || return
  rm -f out/failed out/log.txt
}

init() {
  rm -f out/plan.* out/apply.jsonl
  step init out/log.txt "$cli" init -no-color -lockfile=readonly
}

plan() { # plan OPTION...
  local code=0
  step plan out/plan.jsonl "$cli" plan -json -out=out/plan.bin "$@" || code=$?
  if [ -e out/plan.bin ]; then # also after an error: the comment shows what was planned before it
    "$cli" show -json out/plan.bin >out/plan.json
    "$cli" show -no-color out/plan.bin >out/plan.txt
  fi
  [ "$code" = 0 ] || exit "$code"
}

apply() {
  init
  step reviewed out/log.txt reviewed
  [ -s out/reviewed.json ] || { # a plan without changes needs no review
    echo "There is no reviewed plan for this commit."
    echo '{"format": "assess-reviewed-1", "changes": []}' >out/reviewed.json
  }
  [ -z "${UNLOCK:-}" ] || step unlock out/log.txt "$cli" force-unlock -no-color -force "$UNLOCK"
  plan -lock-timeout=1m
  step reviewed out/log.txt assess compare out/reviewed.json out/plan.json
  ASSESS_READ_ONLY=false step apply out/apply.jsonl "$cli" apply -json -lock-timeout=1m out/plan.bin
}

# explain KIND: writes out/comment.md, for a plan out/reviewed.json, and for drift out/drift. It fails if the plan
# must be corrected.
explain() {
  local run=${CI_JOB_URL:-} commit=${CI_COMMIT_SHA:-} limit=1000000
  if on_github; then
    run=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID commit=${HEAD_COMMIT:-$GITHUB_SHA} limit=65536
  fi
  assess comment "$1" --dir out --limit "$limit" --run "$run" --commit "$commit" >out/comment.md
}

comment() {
  explain "$1" || [ $? = 3 ]
  cat out/comment.md >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
  if [ "$1" = drift ]; then
    drift_issue
  elif [ -n "$(pull_request)" ]; then
    jq --null-input --rawfile body out/comment.md '{$body}' >out/request.json
    publish "$(comments)" "$(comment_path)" id
  else
    echo "This run cannot comment on a pull request."
  fi
}

# request METHOD TOKEN URL [FILE]: after a redirect to another host, curl does not send the token there.
request() {
  printf 'oauth2-bearer = "%s"\n' "$2" | curl --silent --show-error --fail --location --max-time 120 \
    --proto-redir "=${3%%:*}" --request "$1" --config - \
    ${4:+--header "Content-Type: application/json" --data-binary "@$4"} "$3" || {
    echo "Could not $1 $3" >&2
    return 1
  }
}

# first PATH FILTER [ARGUMENT...]: prints the first element of a list that a jq filter selects.
first() {
  local path=$1 filter=$2
  shift 2
  api GET "${path}per_page=100" >out/answer.json
  jq --raw-output "$@" "if type == \"array\" then . else .artifacts end | first(.[] | $filter)" out/answer.json
}

# publish LIST ITEM ID [old]: replaces our comment of this kind in a list, or adds one unless "old" is set. Comments are
# found by their first line and author.
publish() {
  local old
  # shellcheck disable=SC2016 # variables of jq
  old=$(first "$1" "select(.$author == \$me and ((.body // .description // \"\") | startswith(\$marker))) | .$3" \
    --arg marker "$(head -n 1 out/comment.md)" --argjson me "$(me)")
  if [ -n "$old" ]; then
    api "$update" "$2/$old" out/request.json >out/answer.json
  elif [ "${4:-}" != old ]; then
    api POST "${1%%\?*}" out/request.json >out/answer.json
  fi
}

# The issue about drift is open as long as there is drift.
drift_issue() {
  [ -n "$(can_open_issues)" ] || return 0
  if [ -e out/drift ]; then
    jq --null-input --rawfile text out/comment.md --arg body "$issue_body" \
      '{title: "The service differs from the repository", ($body): $text}' >out/request.json
    publish "$issues" issues "$issue_id"
  else
    jq --null-input --rawfile text out/comment.md --arg body "$issue_body" --argjson closed "$closed" \
      '$closed + {($body): $text}' >out/request.json
    publish "$issues" issues "$issue_id" old
  fi
}

if on_github; then
  update=PATCH author=user.login issue_id=number issue_body=body closed='{"state": "closed"}' issues='issues?state=open&'
  api() { request "$1" "$GH_TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$2" ${3:+"$3"}; }
  me() { echo '"github-actions[bot]"'; }
  comments() { echo "issues/$(pull_request)/comments?"; }
  comment_path() { echo issues/comments; }
  can_open_issues() { echo yes; }

  # The job of a fork has a token that cannot comment.
  pull_request() {
    [ "${HEAD_REPOSITORY:-$GITHUB_REPOSITORY}" = "$GITHUB_REPOSITORY" ] || return 0
    echo "${PULL_REQUEST:-$(cat out/pull_request 2>/dev/null || true)}"
  }

  # reviewed: writes out/reviewed.json, which the plan of the pull request or of this run has uploaded. Everyone with
  # write access can replace it, but then the plans differ, and nothing is applied.
  reviewed() {
    local number=$GITHUB_RUN_ID artifact
    rm -f out/reviewed.json
    if [ "$GITHUB_EVENT_NAME" = push ]; then
      # shellcheck disable=SC2016
      number=$(first "commits/$GITHUB_SHA/pulls?" 'select(.merged_at and .base.ref == $branch and .merge_commit_sha == $sha) |
        .number' --arg branch "$GITHUB_REF_NAME" --arg sha "$GITHUB_SHA")
      [ -n "$number" ] || return 0
      echo "$number" >out/pull_request
    fi
    # A later attempt, and a run that was started by hand, must not bring an old commit back.
    if [ "$GITHUB_EVENT_NAME $GITHUB_RUN_ATTEMPT" != "push 1" ] &&
      [ "$(api GET "commits/$GITHUB_REF_NAME" | jq --raw-output .sha)" != "$GITHUB_SHA" ]; then
      echo "There is a newer commit on $GITHUB_REF_NAME. Start the workflow by hand."
      return 1
    fi
    artifact=$(first "actions/artifacts?name=plan-$number&" 'select((.expired | not) and
      .workflow_run.head_repository_id == .workflow_run.repository_id) | .id')
    [ -n "$artifact" ] || return 0
    api GET "actions/artifacts/$artifact/zip" >out/reviewed.zip
    unzip -o -q out/reviewed.zip reviewed.json -d out
  }

  # The field "private" is also true for internal repositories, which the whole enterprise can read.
  visibility() { request GET "$GH_TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY" | jq --raw-output .visibility; }
  by_hand() { [ "$GITHUB_EVENT_NAME" = workflow_dispatch ]; }
else # GitLab. GITLAB_TOKEN is a project access token with the scope "api"
  update=PUT author=author.id issue_id=iid issue_body=description closed='{"state_event": "close"}'
  issues='issues?state=opened&scope=created_by_me&'
  api() { request "$1" "$GITLAB_TOKEN" "$CI_API_V4_URL/projects/$CI_PROJECT_ID/$2" ${3:+"$3"}; }
  me() { request GET "$GITLAB_TOKEN" "$CI_API_V4_URL/user" | jq .id; }
  comments() { echo "merge_requests/$(pull_request)/notes?sort=asc&"; }
  comment_path() { echo "merge_requests/$(pull_request)/notes"; }
  can_open_issues() { echo "${GITLAB_TOKEN:-}"; }
  pull_request() { [ -z "${GITLAB_TOKEN:-}" ] || echo "${CI_MERGE_REQUEST_IID:-$(cat out/pull_request 2>/dev/null || true)}"; }

  # reviewed: writes out/reviewed.json, which the plan of the merge request or of this pipeline has kept. A member can
  # replace it, but then the plans differ, and nothing is applied.
  reviewed() {
    local number pipeline job
    [ "$CI_PIPELINE_SOURCE" = push ] || return 0 # the artifact of this pipeline is in out already
    rm -f out/reviewed.json
    [ -n "${GITLAB_TOKEN:-}" ] || return 0
    # shellcheck disable=SC2016
    number=$(first "repository/commits/$CI_COMMIT_SHA/merge_requests?" 'select(.state == "merged" and
      .target_branch == $branch and ([.sha, .merge_commit_sha, .squash_commit_sha] | index($sha)) and
      .source_project_id == .target_project_id) | .iid' --arg branch "$CI_DEFAULT_BRANCH" --arg sha "$CI_COMMIT_SHA")
    [ -n "$number" ] || return 0
    echo "$number" >out/pull_request
    # shellcheck disable=SC2016
    pipeline=$(first "merge_requests/$number/pipelines?" 'select(.status == "success" and .project_id == $project) | .id' \
      --argjson project "$CI_PROJECT_ID")
    [ -n "$pipeline" ] || return 0
    job=$(first "pipelines/$pipeline/jobs?" 'select(.name == "plan" and .artifacts_file) | .id')
    [ -n "$job" ] || return 0
    api GET "jobs/$job/artifacts/out/reviewed.json" >out/reviewed.json
  }

  visibility() { echo "$CI_PROJECT_VISIBILITY"; }
  by_hand() { [ "$CI_PIPELINE_SOURCE" = web ]; }
fi

report() { # report ARGUMENT...
  local folder=report code=0 file
  rm -rf report # of an earlier job on this runner
  [ "$(visibility)" = private ] || {
    echo "This repository is not private, so others could read the results. Nothing was read."
    exit 1
  }
  [ -z "${UPLOAD_URL:-}" ] || folder=$scratch/report # which is no artifact
  if [ -z "${ASSESS_BASE_URL:-}" ]; then
    if ! by_hand || [ -n "${UPLOAD_URL:-}" ]; then
      echo "ASSESS_BASE_URL is not set. Without it, only a run that is started by hand writes a report, about invented"
      echo "people, and only if UPLOAD_URL is not set. Nothing was written."
      exit 1
    fi
    echo "ASSESS_BASE_URL is not set, so the report is about invented people."
    set -- "$@" --sandbox "$scratch/demo.json"
  fi
  assess report "$folder" "$@" || code=$?
  if [ -n "${UPLOAD_URL:-}" ] && [ -f "$folder/index.html" ]; then
    for file in "$folder"/*; do
      [ "$file" = "$folder/index.html" ] || send "$file"
    done
    send "$folder/index.html" # last, because it refers to the others
    echo "Sent. Files of earlier reports that this report does not replace stay there."
  fi
  exit "$code"
}

send() {
  printf 'user = "%s:%s"\n' "$UPLOAD_USER" "$UPLOAD_PASSWORD" |
    curl --silent --show-error --fail --config - --upload-file "$1" "$UPLOAD_URL/${1##*/}" || {
    echo "Could not send ${1##*/}. The files before it were sent, and index.html was not."
    exit 1
  }
}

case ${1:-} in
  plan)
    init
    plan -lock=false
    code=0
    explain plan || code=$?
    [ "$code" != 3 ] || echo "The plan must be corrected: see the comment." >&2
    exit "$code"
    ;;
  drift)
    init
    plan -lock=false
    explain drift || [ $? = 3 ]
    [ ! -e out/drift ] || {
      echo "Drift: the service differs from the repository." >&2
      exit 2
    }
    ;;
  apply | comment | report) "$@" ;;
  *)
    sed -n '4,/^set/{/^set/!s/^# \{0,1\}//p;}' "$0"
    exit 1
    ;;
esac
