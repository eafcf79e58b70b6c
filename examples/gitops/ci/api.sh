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

# first PATH FILTER [ARGUMENTS...]: applies a jq filter to each element of a list, page by page, and
# prints the first result. PATH ends with ? or &.
first() {
  local path=$1 page=1 answer
  local filter="if type == \"array\" then . else .artifacts // .workflow_runs end | length, first(.[] | $2)"
  shift 2
  while :; do
    answer=$(api GET "${path}per_page=100&page=$page" | jq --raw-output "$@" "$filter")
    case $answer in
      *$'\n'*)
        echo "${answer#*$'\n'}"
        return
        ;;
      100) page=$((page + 1)) ;; # the page is full, so there may be another
      *) return ;;
    esac
  done
}

# marker: prints the first line of the comment. A later run finds the comment by it.
marker() { head -n 1 out/comment.md; }

nothing_reviewed() {
  echo "$*" # apply.sh decides if this is an error
  exit 0
}
