# shellcheck shell=bash
# What github.sh and gitlab.sh share. Each of them defines api METHOD PATH [FILE].
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"

# request METHOD TOKEN URL [FILE]: curl passes the token on to no other host, also if the
# answer is a redirect.
request() {
  curl --silent --show-error --fail --location --proto-redir '=http,https' --max-time 120 --request "$1" \
    --config <(printf 'oauth2-bearer = "%s"\n' "$2") \
    ${4:+--header 'Content-Type: application/json' --data-binary "@$4"} "$3" || {
    echo "Could not $1 $3" >&2
    return 1
  }
}

# first PATH FILTER [ARGUMENTS...]: the first element of a list, over all of its pages, that a
# filter of jq lets through. PATH ends with ? or &.
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

# marker: the first line of a comment, by which a later run finds it.
marker() { head -n 1 out/comment.md; }

nothing_reviewed() {
  echo "$*" # apply.sh decides what that means
  exit 0
}
