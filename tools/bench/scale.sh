#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/bench/scale.sh [SIZES ...]
#
# Measures runs of this provider and of hashicorp/tls with many resources. TLS is the path of the
# binary of hashicorp/tls, or "none". If it is not set, the CLI installs the newest version from its
# registry. BEFORE is the path of an older binary of this provider, which is measured too.
set -euo pipefail
cd "$(dirname "$0")/../.."

cli=$(tools/cli.sh)
ours=$PWD/.bin/terraform-provider-assess
go -C tools/bench build -o "$PWD/.bin/" ./scale
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${TLS:-}" ]; then
  printf 'terraform {\n  required_providers {\n    tls = { source = "hashicorp/tls" }\n  }\n}\n' >"$work/main.tf"
  "$cli" -chdir="$work" init -input=false -no-color >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    echo "Could not install hashicorp/tls. Set TLS to the path of its binary, or to \"none\"." >&2
    exit 1
  }
  TLS=$(find -L "$work/.terraform/providers" -name 'terraform-provider-tls*' ! -type d)
fi
[ "$TLS" != none ] || TLS=
[ $# -gt 0 ] || set -- 1000 5000 10000
.bin/scale -provider "$ours" -tls "$TLS" -before "${BEFORE:-}" -cli "$cli" "$@"
