#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/bench/scale.sh [SIZES ...]
#
# Compares our provider with hashicorp/tls: from the start to the schema, and in runs
# with many resources. TLS names the binary of hashicorp/tls. Without it, the CLI
# installs the newest one from its registry. BEFORE names an older binary of ours.
set -euo pipefail
cd "$(dirname "$0")/../.."

cli=$(tools/cli.sh)
ours=$PWD/.bin/terraform-provider-assess
go -C tools/bench build -o "$PWD/.bin/" ./scale ./startup
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${TLS:-}" ]; then
  printf 'terraform {\n  required_providers {\n    tls = { source = "hashicorp/tls" }\n  }\n}\n' >"$work/main.tf"
  "$cli" -chdir="$work" init -input=false -no-color >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    echo "hashicorp/tls could not be installed. TLS=/path/to/terraform-provider-tls names a binary." >&2
    exit 1
  }
  TLS=$(find -L "$work/.terraform/providers" -name 'terraform-provider-tls*' ! -type d)
fi
.bin/startup "$ours" "$TLS"
echo
.bin/scale -provider "$ours" -tls "$TLS" -before "${BEFORE:-}" -cli "$cli" "$@"
