#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/tofu/prune.sh DIR
#
# Copies OpenTofu and go-getter into DIR, without the parts that the demo and the tests do
# not use: remote state in clouds, key providers of clouds, modules from buckets, tracing,
# and WinRM. A third of the packages remains. DIR/go.mod builds the copies.
# The edits depend on the versions in go.mod.
set -euo pipefail
cd "$(dirname "$0")"
dir=$1
cp go.mod go.sum "$dir"

copy() { # copy MODULE NAME: copies a module into DIR/NAME
  local from
  go mod download "$1"
  from=$(go list -m -f '{{.Dir}}' "$1")
  mkdir "$dir/$2"
  tar -C "$from" --exclude testdata --exclude '*_test.go' --exclude website -cf - . | tar -C "$dir/$2" -xf -
  chmod -R u+w "$dir/$2"
  go mod edit -replace "$1=$dir/$2" "$dir/go.mod"
}
edit() { # edit FILE EXPRESSION...: applies expressions of sed, which must change the file
  local file=$dir/$1
  mv "$file" "$dir/unedited"
  sed -E "${@:2}" "$dir/unedited" >"$file"
  if cmp -s "$dir/unedited" "$file"; then
    echo "tools/tofu/prune.sh: nothing to change in $1" >&2
    exit 1
  fi
}

remote='azure|Azure|consul|Consul|cos|Cos|gcs|GCS|kubernetes|Kubernetes|oss|OSS|pg|Pg|s3|S3'

copy github.com/opentofu/opentofu opentofu
edit opentofu/internal/backend/init/init.go -e "/remote-state\/($remote)\"/d" -e "/backend($remote)\.New/d"
edit opentofu/internal/encryption/default_registry.go \
  -e '/keyprovider\/(aws_kms|azure_vault|gcp_kms|openbao)"/d' \
  -e '/RegisterKeyProvider\((aws_kms|azure_vault|gcp_kms|openbao)\./,/}/d'
edit opentofu/internal/getmodules/getter.go -e '/new\(getter\.(GCS|S3)Getter\)/d'
edit opentofu/internal/communicator/communicator.go -e '/communicator\/winrm"/d' -e '/case "winrm":/,/winrm\.New/d'
edit opentofu/internal/tracing/init.go \
  -e 's|go.opentelemetry.io/contrib/exporters/autoexport|go.opentelemetry.io/otel/sdk/trace/tracetest|' \
  -e 's|autoexport.NewSpanExporter\(ctx\)|tracetest.NewNoopExporter(), error(nil)|'
copy github.com/hashicorp/go-getter getter
edit getter/get.go -e '/new\((GCS|S3)Getter\)/d'
rm "$dir/getter/get_gcs.go" "$dir/getter/get_s3.go"
