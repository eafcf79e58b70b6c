#!/usr/bin/env bash
# Plans, and leaves behind in out/
#   plan.bin    the plan, to be applied as it is
#   plan.tree   the content of the repository that was planned
#   plan.json, plan.txt, plan.jsonl   what the comment is made of
. "$(dirname "$0")/step.sh"
rm -f out/plan.* out/failed

plan() { tofu plan -json -input=false -lock-timeout=10m -out=out/plan.bin | events out/plan.jsonl; }

if on_snapshot; then
  . ci/snapshot.sh
  step plan snapshot_plan
  show
  rm out/plan.bin # nothing can be applied
else
  step plan plan
  show
  git rev-parse 'HEAD^{tree}' >out/plan.tree
fi
step plan cat out/plan.txt
