# shellcheck shell=bash
# Functions that the other scripts share. The scripts run in the root of the repository and
# write their results to out/. It contains plans in plain text, so never commit it.
set -euo pipefail
shopt -s inherit_errexit 2>/dev/null || true # not in older versions of bash
umask 077
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p out

# CLI=terraform runs Terraform instead of OpenTofu.
tofu() { command "${CLI:-tofu}" "$@"; }

# step NAME COMMAND...: runs a command and shows its output. If it fails, the script ends, and
# the comment says which step failed and why. On GitHub, the runner ignores commands in the
# output, such as "::error::".
step() {
  local name=$1 code=0 token=
  shift
  if [ -n "${GITHUB_ACTIONS:-}" ]; then
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    echo "::stop-commands::$token"
  fi
  "$@" 2>&1 | tee out/log.txt || code=$?
  if [ -n "$token" ]; then echo "::$token::"; fi
  if [ "$code" -ne 0 ]; then
    echo "$name" >out/failed
    exit "$code"
  fi
  : >out/log.txt
}

# events FILE: writes the JSON events of a run to a file, and prints them as text.
events() {
  tee "$1" | jq --raw-input --raw-output --unbuffered '
    . as $line | (fromjson? // {"@message": $line}) |
    if .type == "diagnostic" then "\n\(."@message")\n\n\(.diagnostic.detail)\n"
    elif .type == "refresh_start" or .type == "refresh_complete" or .type == "outputs" then empty
    else ."@message" end'
}

# show: writes out/plan.bin as JSON and as text.
show() {
  tofu show -json out/plan.bin >out/plan.json
  tofu show -no-color out/plan.bin >out/plan.txt
}

# on_snapshot: succeeds if there is no key, and a snapshot to plan on.
on_snapshot() { [ -z "${ASSESS_API_KEY:-}" ] && [ -e snapshot.json ]; }

# use_snapshot: prepares for commands without a key. They do not open the state of main. With
# state/encryption.tofu, they require a passphrase. A fork has none, and needs no secret one.
use_snapshot() {
  export TF_DATA_DIR=out/terraform
  export TF_VAR_passphrase=${TF_VAR_passphrase:-a state of a snapshot holds no secret}
}
