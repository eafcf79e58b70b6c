#!/bin/sh
# Runs one part of the pipeline, on a runner or on your machine:
#
#   ci/run.sh plan       checks the repository and plans. Nothing is changed
#   ci/run.sh apply      plans again, and applies that plan if it does what was reviewed
#   ci/run.sh drift      plans, and fails if the service differs from the repository
#   ci/run.sh comment KIND   prints the comment about a plan, an apply or drift
#   ci/run.sh post KIND      posts it to the host of the repository
#
# All results are in out/, which contains plans in plain text. Never commit or upload it, except
# for out/reviewed.json, which contains no values.
set -eu
umask 077
cd "$(dirname "$0")/.."
mkdir -p out
cli=${CLI:-tofu}
export TF_IN_AUTOMATION=1 TF_INPUT=0 ASSESS_READ_ONLY=true

# step NAME FILE COMMAND...: runs a command, writes its output to FILE, and shows it without control
# characters. GitHub ignores commands such as "::error::" in it. As long as out/failed exists, the
# step is not done. So a comment about a run that was stopped says in which step.
step() {
  name=$1 file=$2 token=
  shift 2
  echo "$name" >out/failed
  [ -z "${GITHUB_ACTIONS:-}" ] || token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  [ -z "$token" ] || echo "::stop-commands::$token"
  { "$@" 2>&1 && echo 0 >out/code || echo $? >out/code; } | tee "$file" | jq --raw-input --raw-output --unbuffered '
    . as $line | (fromjson? | objects | ."@message") // $line | gsub("[\\p{Cc}\\p{Cf}]"; " ")'
  [ -z "$token" ] || echo "::$token::"
  read -r code <out/code
  [ "$code" = 0 ] || exit "$code"
  rm -f out/failed out/log.txt
}

on_host() { [ -n "${GITHUB_ACTIONS:-}${GITLAB_CI:-}" ]; }

# companion ARGUMENT...: runs assess from PATH, or from this folder. If it is in neither, this folder gets a release.
companion() {
  program=$(command -v assess) || program=./assess
  [ -x "$program" ] || download
  "$program" "$@"
}

download() {
  archive=assess_${ASSESS_VERSION:-0.1.0}_linux_amd64.zip
  releases=https://github.com/assessascode/terraform-provider-assess/releases/download/v${ASSESS_VERSION:-0.1.0}
  (
    cd out
    curl -fsSLO "$releases/$archive" -o sums "$releases/terraform-provider-assess_${ASSESS_VERSION:-0.1.0}_SHA256SUMS" &&
      grep " $archive\$" sums | sha256sum -c >&2 && unzip -qo "$archive" assess -d ..
  )
}

init() {
  rm -f out/plan.* out/apply.jsonl out/skipped
  step lock out/log.txt has_lock
  ! on_host || sign_in
  step init out/log.txt "$cli" init -no-color -lockfile=readonly
}
has_lock() {
  [ -s .terraform.lock.hcl ] || {
    echo 'There is no .terraform.lock.hcl. Run "make lock" or "tofu init", and commit the file.'
    return 1
  }
}

check() {
  step fmt out/log.txt "$cli" fmt -no-color -check -diff -recursive
  # The tests use a sandbox, and get no credentials. A stopped test may have left a file.
  rm -f assess-sandbox-tests.json
  [ ! -d tests ] || step test out/log.txt env -u ASSESS_BASE_URL -u ASSESS_CLIENT_ID -u ASSESS_API_KEY \
    -u ASSESS_ADOPT_EXISTING ASSESS_READ_ONLY=false "$cli" test -no-color
}

plan() {
  failed=0
  (step plan out/plan.jsonl "$cli" plan -json -out=out/plan.bin "$@") || failed=$?
  if [ -e out/plan.bin ]; then # also after an error: the comment shows what was planned before it
    "$cli" show -json out/plan.bin >out/plan.json
    "$cli" show -no-color out/plan.bin >out/plan.txt
  fi
  [ "$failed" = 0 ] || exit "$failed"
}

compare() {
  # Without a reviewed plan, only a plan without changes is equal.
  [ -s out/reviewed.json ] || {
    echo "There is no reviewed plan for this commit."
    echo '{"format": "assess-reviewed-1", "changes": []}' >out/reviewed.json
  }
  companion compare out/reviewed.json out/plan.json
}

# The first commit of a repository has no review, and nothing to compare with.
first_commit() {
  ! git cat-file commit HEAD | sed '/^$/q' | grep -q '^parent ' ||
    { git rev-parse --quiet --verify HEAD^ && ! git cat-file -e HEAD^:positions.yaml; } >/dev/null 2>&1
}

apply() {
  if on_host && pushed && first_commit; then
    echo "This is the first commit. Nothing is applied. Open a pull request, or start the pipeline by hand."
    : >out/skipped
    exit
  fi
  init
  ! on_host || step reviewed out/log.txt reviewed
  [ -z "${UNLOCK:-}" ] || step unlock out/log.txt "$cli" force-unlock -force "$UNLOCK"
  plan -lock-timeout=1m
  step reviewed out/log.txt compare
  export ASSESS_READ_ONLY=false
  step apply out/apply.jsonl "$cli" apply -json -lock-timeout=1m out/plan.bin
}

drift() {
  init
  plan -lock=false
  comment drift >out/comment.md || [ $? = 3 ]
  [ ! -e out/drift ] || {
    echo "Drift: the service differs from the repository." >&2
    exit 2
  }
}

# The comment links the log of the run. It never exceeds what the host accepts. The exit code is 3 if the apply would
# certainly reject a part of the plan.
comment() {
  companion comment "$1" --dir out --limit "${COMMENT_LIMIT:-65536}" --run "${RUN_URL:-}" --commit "${COMMIT:-}" && return
  [ $? != 3 ] || return 3
  printf '<!-- assess: %s -->\n### The %s failed\n\n' "$1" "$1"
  printf 'The step "%s" failed, and the companion program "assess" is missing.\n' "$(cat out/failed)"
  [ -z "${RUN_URL:-}" ] || printf '\n[Log of the run](%s)\n' "$RUN_URL"
}

# request METHOD TOKEN URL [FILE]: sends a request. If the response redirects to another host,
# curl does not send the token there.
request() {
  printf 'oauth2-bearer = "%s"\n' "$2" | curl --silent --show-error --fail --location --max-time 120 \
    --proto-redir "=${3%%:*}" --request "$1" --config - \
    ${4:+--header "Content-Type: application/json" --data-binary "@$4"} "$3" || {
    echo "Could not $1 $3" >&2
    return 1
  }
}

# first PATH FILTER [ARGUMENTS...]: prints the first element of a list that a jq filter selects. The
# list has pages. PATH ends with ? or &.
first() {
  path=$1 filter=$2 page=1
  shift 2
  : >out/found
  while api GET "${path}per_page=100&page=$page" >out/answer.json; do
    jq --raw-output "$@" "if type == \"array\" then . else .artifacts end | first(.[] | $filter)" out/answer.json >out/found
    [ ! -s out/found ] || break
    [ "$(jq 'if type == "array" then . else .artifacts end | length' out/answer.json)" = 100 ] || break
    page=$((page + 1))
  done
  cat out/found
}

# publish LIST ITEM ID: replaces our last comment of this kind in a list, or adds one. Comments are
# found by their first line and author.
publish() {
  # shellcheck disable=SC2154 # host.sh sets it
  old=$(first "$1" "select($ours) | .$3" --arg marker "$(head -n 1 out/comment.md)" --argjson me "$(me)")
  if [ -n "$old" ]; then
    # shellcheck disable=SC2154
    api "$update" "$2/$old" out/request.json >out/answer.json
  elif [ "${4:-}" != old ]; then
    api POST "${1%%\?*}" out/request.json >out/answer.json
  fi
}

post() {
  [ ! -e out/skipped ] || return 0 # the first commit
  comment "$1" >out/comment.md || [ $? = 3 ]
  cat out/comment.md >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
  if [ "$1" = drift ]; then
    issue
  elif [ -n "$(pull_request)" ]; then
    jq --null-input --rawfile body out/comment.md '{body: $body}' >out/request.json
    publish "$(thread)?" "$(thread_item)" id
  else
    echo "This run cannot comment on a pull request."
  fi
}

# shellcheck source=/dev/null
! on_host || . ci/host.sh
case ${1:-} in
  plan)
    init
    check
    plan -lock=false
    comment plan >out/comment.md || { # also writes out/reviewed.json
      echo "The apply would reject a part of this plan: see the comment." >&2
      exit 3
    }
    ;;
  apply | drift | comment | post) "$@" ;;
  *)
    sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p;}' "$0"
    exit 1
    ;;
esac
