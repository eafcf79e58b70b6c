#!/usr/bin/env bash
# Applies out/plan.bin, made by ci/plan.sh and reviewed, if what was merged is what was
# planned. The CLI itself refuses a plan whose state has changed since.
#
# Without a reviewed plan, it succeeds only if there is nothing to apply.
. "$(dirname "$0")/step.sh"
rm -f out/failed out/apply.jsonl

first() { ! git cat-file -e HEAD^:positions.yaml 2>/dev/null; }
nothing_to_apply() {
  jq --exit-status 'all(.resource_changes[]?; .mode == "data" or .change.actions == ["no-op"])' out/plan.json >out/answer.json || {
    echo "No reviewed plan was found for this commit, and there is something to apply."
    echo "Open a pull request. If it came from a fork or from Dependabot, or if its plan has expired,"
    echo "a person with write access opens one: any small change is enough, and its plan contains the rest."
    return 1
  }
}
merged() {
  [ "$(cat out/plan.tree)" = "$(git rev-parse 'HEAD^{tree}')" ] || {
    echo "What was merged is not what was planned: the main branch had moved on."
    echo "Open a pull request again. Requiring branches to be up to date before they are merged prevents this."
    return 1
  }
}
apply() {
  ASSESS_READ_ONLY=false tofu apply -json -input=false -lock-timeout=10m out/plan.bin | events out/apply.jsonl
}

if [ ! -e out/plan.bin ] && first; then
  echo "This is the first commit. Nothing is applied: the first pull request shows what there is to do."
  touch out/skipped
  exit
fi
if [ ! -e out/plan.bin ]; then
  ASSESS_READ_ONLY=true ci/plan.sh
  step reviewed nothing_to_apply
  echo "There is nothing to apply."
  exit
fi
show
step merged merged
step apply apply
