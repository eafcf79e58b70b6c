#!/usr/bin/env bash
# Applies the reviewed plan out/plan.bin, if the merged files are those that were planned. The
# CLI refuses the plan if the state has changed since.
#
# Without a reviewed plan, this script succeeds only if there is nothing to apply.
. "$(dirname "$0")/step.sh"
rm -f out/failed out/apply.jsonl

# The checkout can lack the commit before this one. Then only the commit itself names its parent.
first() {
  ! git cat-file -e HEAD^:positions.yaml 2>/dev/null || return 1
  [ -z "$(git cat-file commit HEAD | sed -n '/^$/q; /^parent /p')" ] || git rev-parse --quiet --verify HEAD^ >out/answer.json
}
# An import and a rename are no-op, but only an apply stores them in the state.
nothing_to_apply() {
  jq --exit-status 'all(.resource_changes[]?; .mode == "data" or .change.actions == ["no-op"]
    and .change.importing == null and (.previous_address // .address) == .address)' out/plan.json >out/answer.json || {
    echo "No reviewed plan was found for this commit, and there is something to apply."
    echo "Open a new pull request with any small change. Its plan contains the changes that were not applied."
    echo "If the pull request came from a fork or from Dependabot, a person with write access must do this."
    return 1
  }
}
merged() {
  [ "$(cat out/plan.tree)" = "$(git rev-parse 'HEAD^{tree}')" ] || {
    echo "What was merged is not what was planned, because the main branch has changed since the plan."
    echo "Open a new pull request with any small change. Its plan contains the changes that were not applied."
    echo "To prevent this, require branches to be up to date before they are merged."
    return 1
  }
}
apply() {
  ASSESS_READ_ONLY=false tofu apply -json -input=false -lock-timeout=10m out/plan.bin | events out/apply.jsonl
}

if [ ! -e out/plan.bin ] && first; then
  echo "This is the first commit. Nothing is applied. Open a pull request: its plan contains the changes."
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
