#!/usr/bin/env bash
# Fails where the service is not what the repository says: something would be
# changed, or an assessment was attached elsewhere. Leaves plan.txt behind.
set -euo pipefail
cd "$(dirname "$0")/.."
code=0
tofu plan -no-color -lock-timeout=10m -detailed-exitcode -out=plan.bin 2>&1 | tee plan.txt || code=$?
case $code in
  0) ;;
  2) echo "Drift: the plan above would be applied." >&2; exit 2 ;;
  *) echo "The plan failed." | tee -a plan.txt; exit "$code" ;;
esac
if tofu show -json plan.bin | jq -e 'any(.checks[]?; .address.name == "attached_elsewhere" and .status == "fail")' >/dev/null; then
  echo "Drift: assessments were attached elsewhere, see the warnings." | tee -a plan.txt
  exit 2
fi
