#!/usr/bin/env bash
# Plans, and leaves behind
#   plan.bin   the plan, to be applied as it is
#   plan.txt   what people read, warnings and errors included
#   plan.tree  the content of the repository that was planned
set -euo pipefail
cd "$(dirname "$0")/.."
code=0
tofu plan -no-color -lock-timeout=10m -out=plan.bin 2>&1 | tee plan.txt || code=$?
if [ "$code" -ne 0 ]; then
  echo "The plan failed." | tee -a plan.txt
  exit "$code"
fi
git rev-parse 'HEAD^{tree}' >plan.tree
