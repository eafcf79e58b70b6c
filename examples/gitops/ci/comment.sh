#!/usr/bin/env bash
#   ci/comment.sh plan|apply|drift
#
# Writes out/comment.md from the results of the other scripts in out/. The exit code is 2 if the
# argument is drift and there is drift.
. "$(dirname "$0")/step.sh"
GOFLAGS='' GOWORK=off go build -trimpath -ldflags=-s -o out/comment ci/comment/{main,plan,rows,text,words}.go
out/comment -kind "$1" -dir out -limit "${COMMENT_LIMIT:-65536}" -run "${RUN_URL:-}" -commit "${COMMIT:-}" >out/comment.md
