#!/usr/bin/env bash
# Plans, and writes to out/:
#   plan.bin    the plan, for ci/apply.sh
#   plan.tree   the hash of the files that were planned
#   plan.json, plan.txt, plan.jsonl   the plan and the messages, for ci/comment.sh
. "$(dirname "$0")/step.sh"
rm -f out/plan.* out/failed

plan() { tofu plan -json -input=false -lock-timeout=10m -out=out/plan.bin | events out/plan.jsonl; }

if on_snapshot; then
  . ci/snapshot.sh
  step plan snapshot_plan
  show
  rm out/plan.bin # a plan on a snapshot must not be applied
else
  step plan plan
  show
  git rev-parse 'HEAD^{tree}' >out/plan.tree
fi
step plan cat out/plan.txt
