# shellcheck shell=bash
# Functions that github.sh and gitlab.sh share. Both define api METHOD PATH [FILE].
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"

# request METHOD TOKEN URL [FILE]: sends a request. If the response redirects to another host,
# curl does not send the token there.
request() {
  curl --silent --show-error --fail --location --proto-redir '=http,https' --max-time 120 --request "$1" \
    --config <(printf 'oauth2-bearer = "%s"\n' "$2") \
    ${4:+--header 'Content-Type: application/json' --data-binary "@$4"} "$3" || {
    echo "Could not $1 $3" >&2
    return 1
  }
}

# first PATH FILTER [ARGUMENTS...]: prints the first element of a list, on any page, that matches a
# filter of jq. PATH ends with ? or &.
first() {
  local path=$1 filter=$2 page=1 answer found
  shift 2
  while :; do
    answer=$(api GET "${path}per_page=100&page=$page" | jq 'if type == "array" then . else .artifacts // .workflow_runs end')
    found=$(jq --compact-output "$@" "first(.[] | select($filter))" <<<"$answer")
    if [ -n "$found" ]; then
      printf '%s\n' "$found"
      return
    fi
    [ "$(jq length <<<"$answer")" -eq 100 ] || return 0
    page=$((page + 1))
  done
}

# marker: prints the first line of the comment. A later run finds the comment by it.
marker() { head -n 1 out/comment.md; }

nothing_reviewed() {
  echo "$*" # apply.sh decides if this is an error
  exit 0
}
