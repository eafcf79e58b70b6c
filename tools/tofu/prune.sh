#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/tofu/prune.sh DIR
#
# Writes copies of OpenTofu and go-getter into DIR, without what neither the demo nor
# the tests use: remote state in clouds, key providers of clouds, modules from buckets,
# tracing and WinRM. A third of the packages remains. DIR/go.mod builds the copies.
# Each edit must match the versions that go.mod names.
set -euo pipefail
cd "$(dirname "$0")"
dir=$1
cp go.mod go.sum "$dir"

copy() { # copy MODULE NAME: copies a module's source to DIR/NAME
  local from
  from=$(go mod download -json "$1" | sed -nE 's/^\s*"Dir": "(.*)",?$/\1/p')
  mkdir "$dir/$2"
  tar -C "$from" --exclude=testdata --exclude='*_test.go' --exclude=website -cf - . | tar -C "$dir/$2" -xf -
  chmod -R u+w "$dir/$2"
  go mod edit -replace "$1=$dir/$2" "$dir/go.mod"
}
edit() { # edit FILE EXPRESSION: applies an expression of sed, which must change the file
  sed -E "$2" "$dir/$1" >"$dir/edited"
  if cmp -s "$dir/$1" "$dir/edited"; then
    echo "tools/tofu/prune.sh: nothing to change in $1" >&2
    exit 1
  fi
  mv "$dir/edited" "$dir/$1"
}

copy github.com/opentofu/opentofu opentofu
edit opentofu/internal/backend/init/init.go '/(remote-state\/|backend)(azure|consul|cos|gcs|kubernetes|oss|pg|s3)\b/Id'
edit opentofu/internal/encryption/default_registry.go \
  '/keyprovider\/(aws_kms|azure_vault|gcp_kms|openbao)"/d; /RegisterKeyProvider\((aws_kms|azure_vault|gcp_kms|openbao)\./,+2d'
edit opentofu/internal/getmodules/getter.go '/new\(getter\.(GCS|S3)Getter\)/d'
edit opentofu/internal/communicator/communicator.go '/communicator\/winrm"/d; /case "winrm":/,+1d'
edit opentofu/internal/tracing/init.go \
  's|go.opentelemetry.io/contrib/exporters/autoexport|go.opentelemetry.io/otel/sdk/trace/tracetest|
   s|autoexport.NewSpanExporter\(ctx\)|tracetest.NewNoopExporter(), error(nil)|'
copy github.com/hashicorp/go-getter getter
edit getter/get.go '/new\((GCS|S3)Getter\)/d'
rm "$dir"/getter/get_{gcs,s3}.go
