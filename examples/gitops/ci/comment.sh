#!/usr/bin/env bash
#   ci/comment.sh plan|apply|drift
#
# Writes out/comment.md from the results of the other scripts in out/. With the argument drift, it
# also writes or removes the empty file out/drift. The file means that the service differs from the
# repository, or that the plan failed.
. "$(dirname "$0")/step.sh"
# Go caches the program. With -trimpath, other checkouts on the same machine use it, too.
GOFLAGS='' GOWORK=off go run -trimpath ci/comment/{main,plan,rows,text,words}.go -kind "$1" -dir out \
  -limit "${COMMENT_LIMIT:-65536}" -run "${RUN_URL:-}" -commit "${COMMIT:-}" >out/comment.md
