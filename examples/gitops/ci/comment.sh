#!/usr/bin/env bash
#   ci/comment.sh plan|apply|drift
#
# Writes out/comment.md from the results of the other scripts in out/. If the argument is drift and
# there is drift, it also writes out/drift.
. "$(dirname "$0")/step.sh"
# With -trimpath, Go uses the program of an earlier job again, also from another folder.
GOFLAGS='' GOWORK=off go run -trimpath ci/comment/{main,plan,rows,text,words}.go -kind "$1" -dir out \
  -limit "${COMMENT_LIMIT:-65536}" -run "${RUN_URL:-}" -commit "${COMMIT:-}" >out/comment.md
