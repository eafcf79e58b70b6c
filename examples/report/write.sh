#!/usr/bin/env bash
# Writes the reports to files in a folder.
# Usage: write.sh FOLDER [COMMAND]
# COMMAND is tofu (the default) or terraform.
set -euo pipefail
umask 077 # reports are personal data
folder=${1:?usage: write.sh FOLDER [COMMAND]}
cli=${2:-tofu}
mkdir -p "$folder"
# write replaces a file, because an earlier one may be readable for others.
write() {
  rm -f "$1"
  cat >"$1"
}
"$cli" output -raw markdown | write "$folder/report.md"
for kind in html csv; do
  outputs=$("$cli" output -json "$kind")
  jq -r 'keys[]' <<<"$outputs" | while read -r position; do
    jq -rj --arg position "$position" '.[$position]' <<<"$outputs" | write "$folder/${position//\//_}.$kind"
  done
done
ls "$folder"
