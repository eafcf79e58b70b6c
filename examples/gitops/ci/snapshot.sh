# shellcheck shell=bash
# Part of plan.sh: plans without a key, on a copy of snapshot.json. BASE is the commit to
# compare with. It is applied to the copy first, so that the plan shows only the differences.
# If that fails, the plan shows everything as new.
use_snapshot

on_copy() { # on_copy COMMAND...: runs a command with the copy as the service
  cp ci/snapshot_override.tf.txt snapshot_override.tf
  tofu init -no-color -reconfigure -input=false -lockfile=readonly >>out/snapshot.log 2>&1 && "$@"
}
attach_base() (
  [ -n "${BASE:-}" ] || return
  git worktree add --force --detach out/base "$BASE" >out/snapshot.log 2>&1 || return
  mkdir -p out/base/out
  cp ci/snapshot_override.tf.txt out/base/ci/
  cp snapshot.json out/base/out/
  cd out/base || return
  ASSESS_READ_ONLY=false on_copy tofu apply -no-color -input=false -auto-approve >>out/snapshot.log 2>&1 || return
  mv out/snapshot.json out/snapshot.tfstate ../
)
snapshot_plan() {
  echo yes >out/snapshot
  attach_base || cp snapshot.json out/snapshot.json
  trap 'rm -f snapshot_override.tf; git worktree remove --force out/base 2>/dev/null || true' EXIT
  on_copy plan
}
