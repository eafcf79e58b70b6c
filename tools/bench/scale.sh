#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/bench/scale.sh [SIZES ...]
#
# Measures runs of the provider with many resources.
set -euo pipefail
cd "$(dirname "$0")/../.."

cli=$(tools/cli.sh)
mkdir -p .bin
go build -trimpath -buildvcs=false -o .bin/terraform-provider-assess .
go -C tools/bench build -o "$PWD/.bin/" ./scale
[ $# -gt 0 ] || set -- 1000 5000 10000
.bin/scale -provider "$PWD/.bin/terraform-provider-assess" -cli "$(realpath "$cli")" "$@"
