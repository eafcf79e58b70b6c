#!/usr/bin/env bash
# Plans, and leaves behind
#   plan.bin   the plan, to be applied as it is
#   plan.txt   what people read, warnings included
#   plan.tree  the content of the repository that was planned
set -euo pipefail
cd "$(dirname "$0")/.."
tofu plan -no-color -lock-timeout=10m -out=plan.bin | tee plan.txt
git rev-parse 'HEAD^{tree}' >plan.tree
