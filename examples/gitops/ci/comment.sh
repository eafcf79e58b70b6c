#!/usr/bin/env bash
# Prints plan.txt as a comment. Each line is indented, so that nothing in it can
# become markup, and a long plan is cut: a comment holds 65,536 characters.
set -euo pipefail
cd "$(dirname "$0")/.."
summary=$(grep -E '^(Plan:|No changes\.)' plan.txt | tail -n 1 || true)
printf '**%s**\n\n' "${summary:-The plan has changes of outputs only.}"
printf '<details><summary>The whole plan</summary>\n\n'
grep -vE ': (Refreshing state|Reading|Read complete)' plan.txt | sed 's/^/    /' | head -c 60000 | iconv -c -f UTF-8 -t UTF-8
if [ "$(wc -c <plan.txt)" -gt 60000 ]; then
  printf '\n\nCut here: the log of the job has the rest.\n'
fi
printf '\n</details>\n\n'
