#!/usr/bin/env bash
# Prints plan.txt as a comment. Each line is indented, so that nothing in it can
# become markup, and a long plan is cut: a comment holds 65,536 characters.
set -euo pipefail
cd "$(dirname "$0")/.."
headline=$(grep -E '^(Plan:|No changes\.|You can apply this plan to save|Drift:|The plan failed\.)' plan.txt | tail -n 1 || true)
case $headline in
  "You can apply"*) headline="The plan has changes of outputs only." ;;
  "") headline="The plan failed." ;;
esac
printf '**%s**\n\n' "$headline"
printf '<details><summary>The whole plan</summary>\n\n'
plan=$(sed -E '/: (Refreshing state|Reading|Read complete)/d; s/^/    /' plan.txt)
head -c 60000 <<<"$plan" | iconv -c -f UTF-8 -t UTF-8
if [ "$(wc -c <<<"$plan")" -gt 60000 ]; then
  printf '\n\nCut here: the log of the job has the rest.\n'
fi
printf '\n</details>\n\n'
