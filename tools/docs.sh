#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# The documentation in docs/, from the schema of the provider, templates/ and
# examples/:
#   tools/docs.sh generate  writes it
#   tools/docs.sh check     fails where it differs from what would be written, where
#                           tfplugindocs finds a defect, where an attribute does not say
#                           what it rests on, where a link leads nowhere, where a message
#                           of the provider is not explained, and where a configuration on
#                           a page is not formatted or not valid
# Nothing is downloaded but Go modules: the schema comes from the CLI that
# tools/cli.sh prints.
#
# OpenTofu's schema holds no list resources and no actions. Where such a CLI is at
# hand, their pages stay as they are, are not compared, and the script says so:
# TF_ACC_TERRAFORM_PATH=/path/to/terraform (1.14 or later) writes and checks all.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-}
case "$mode" in
  generate | check) ;;
  *) echo "usage: tools/docs.sh generate|check" >&2; exit 2 ;;
esac
command -v go >/dev/null || {
  echo "Go is missing. Install the version that go.mod names, or a newer one: https://go.dev/dl/" >&2
  exit 1
}

cli=$(tools/cli.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/tree" # what tfplugindocs takes for the repository
mkdir -p "$work/bin" "$work/schema" "$tree"

go build -trimpath -o "$work/bin/terraform-provider-assess" .
cat >"$work/docs.tfrc" <<RC
provider_installation {
  dev_overrides {
    "registry.opentofu.org/assessascode/assess"  = "$work/bin"
    "registry.terraform.io/assessascode/assess" = "$work/bin"
  }
  direct {}
}
RC
export TF_CLI_CONFIG_FILE="$work/docs.tfrc" TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
unset "${!TF_LOG@}" "${!ASSESS_@}"

loudly() { # loudly COMMAND...: shows what a command says only where it fails
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}
plugindocs() { loudly go -C tools/docs tool tfplugindocs "$@" --provider-dir "$tree" --provider-name assess --providers-schema "$work/schema.json"; }
go -C tools/docs build -o "$work/docs" .

cat >"$work/schema/main.tf" <<'TF'
terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}
TF
"$cli" -chdir="$work/schema" providers schema -json >"$work/cli.json"
"$work/docs" schema tools/docs/sources.txt <"$work/cli.json" >"$work/schema.json"

cp -R templates examples "$tree"
ln -s "$PWD/tools" "$tree/tools" # for what templates include
plugindocs generate

# What this CLI does not know stays as it is.
kept=()
keep() { # keep FOLDER KEY: of the schema's JSON
  if [ -d "docs/$1" ] && ! grep -q "\"$2\"" "$work/cli.json"; then
    kept+=("$1")
    echo "docs/$1 stays as it is and is not compared: $("$cli" version | head -n 1) gives no $2" >&2
  fi
}
keep list-resources list_resource_schemas
keep actions action_schemas

if [ "$mode" = generate ]; then
  for folder in ${kept[@]+"${kept[@]}"}; do
    cp -R "docs/$folder" "$tree/docs/"
  done
  rm -rf docs
  cp -R "$tree/docs" docs
  echo "docs/ is written: $(find docs -name '*.md' | wc -l) pages" >&2
  "$work/docs" missing tools/docs/sources.txt <"$work/cli.json" || echo "the pages above lack what stands behind these attributes" >&2
  exit
fi

failed=0
fails() { echo "docs-check: $*" >&2; failed=1; }

plugindocs validate --allowed-resource-subcategories "$(paste -sd, tools/docs/subcategories.txt)" || fails "tfplugindocs finds defects"
"$work/docs" missing tools/docs/sources.txt <"$work/cli.json" || fails "what stands behind attributes is not complete"

mkdir "$work/committed"
[ ! -d docs ] || cp -R docs/. "$work/committed"
for folder in ${kept[@]+"${kept[@]}"}; do
  rm -r "$work/committed/$folder"
done
git --no-pager diff --no-index --stat --exit-code "$work/committed" "$tree/docs" >&2 || fails "docs/ is not what would be written: run make docs"

"$work/docs" links . || fails "links lead nowhere"
"$work/docs" messages . || fails "messages are not explained"
"$work/docs" snippets . "$cli" || fails "configurations on pages are wrong"
loudly go -C tools/sizing test ./... || fails "tools/sizing/results.md is not what it prints: go -C tools/sizing run . >tools/sizing/results.md"
loudly go -C tools/docs test ./... || fails "the tests of these checks fail"
exit "$failed"
