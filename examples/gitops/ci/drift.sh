#!/usr/bin/env bash
# Fails where the service is not what the repository says: something would be
# changed, or an assessment was attached elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
code=0
tofu plan -no-color -lock-timeout=10m -detailed-exitcode -out=plan.bin >plan.txt || code=$?
cat plan.txt
case $code in
  0) ;;
  2) echo "Drift: the plan above would be applied." >&2; exit 2 ;;
  *) exit "$code" ;;
esac
if tofu show -json plan.bin | jq -e 'any(.checks[]?; .address.name == "attached_elsewhere" and .status == "fail")' >/dev/null; then
  echo "Drift: assessments were attached elsewhere, see the warnings above." >&2
  exit 2
fi
