#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# The documentation in docs/, which tfplugindocs generates from the schema of the
# provider, templates/ and examples/:
#   tools/docs.sh generate  writes docs/
#   tools/docs.sh check     fails if docs/ or the rejected plan in README.md is not up to date,
#                           or if a check of tfplugindocs or tools/docs fails
# Only Go modules are downloaded. tools/cli.sh chooses the CLI that prints the schema.
#
# The schema of OpenTofu has no list resources and no actions. With OpenTofu, their pages
# are not generated again. To generate and check all pages, set TF_ACC_TERRAFORM_PATH to
# Terraform 1.14 or later.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-}
case "$mode" in
  generate | check) ;;
  *) echo "usage: tools/docs.sh generate|check" >&2; exit 2 ;;
esac
command -v go >/dev/null || {
  echo "Go is missing. Install the version in go.mod or a newer one: https://go.dev/dl/" >&2
  exit 1
}

cli=$(tools/cli.sh identity)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/tree" # the repository, as tfplugindocs sees it
mkdir -p "$work/bin" "$work/schema" "$tree"

# shellcheck source=tools/flags.sh
source tools/flags.sh
go build -o "$work/bin/terraform-provider-assess" .
cat >"$work/docs.tfrc" <<RC
provider_installation {
  dev_overrides {
    "registry.opentofu.org/assessascode/assess"  = "$work/bin"
    "registry.terraform.io/assessascode/assess" = "$work/bin"
    "registry.opentofu.org/hashicorp/assess"     = "$work/bin"
    "registry.terraform.io/hashicorp/assess"    = "$work/bin"
  }
  direct {}
}
RC
export TF_CLI_CONFIG_FILE="$work/docs.tfrc" TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
unset "${!TF_LOG@}" "${!ASSESS_@}"

quietly() { # quietly COMMAND...: shows the output only if the command fails
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}
plugindocs() { quietly go -C tools/docs tool tfplugindocs "$@" --provider-dir "$tree" --provider-name assess --providers-schema "$work/schema.json"; }
go -C tools/docs build -o "$work/docs" .

cat >"$work/schema/main.tf" <<'TF'
terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}
TF
# tfplugindocs expects the name of the provider without its namespace.
"$cli" -chdir="$work/schema" providers schema -json |
  sed -E 's,"registry\.[a-z.]+/assessascode/assess":,"assess":,' >"$work/schema.json"

cp -R templates examples CHANGELOG.md "$tree"
plugindocs generate

keep() { # keep FOLDER KEY: keeps the pages of a folder if the schema has no such key
  if [ -d "docs/$1" ] && ! grep -q "\"$2\"" "$work/schema.json"; then
    cp -R "docs/$1" "$tree/docs/"
    echo "docs/$1 is not generated again: the schema of $("$cli" version | head -n 1) has no $2" >&2
  fi
}
keep list-resources list_resource_schemas
keep actions action_schemas
"$work/docs" relink "$tree"

if [ "$mode" = generate ]; then
  rm -rf docs
  cp -R "$tree/docs" docs
  echo "docs/ has $(find docs -name '*.md' | wc -l) pages" >&2
  exit
fi

failed=0
fails() { echo "docs-check: $*" >&2; failed=1; }

plugindocs validate --allowed-resource-subcategories-file "$PWD/tools/docs/subcategories.txt" \
  --allowed-guide-subcategories-file "$PWD/tools/docs/subcategories.txt" || fails "tfplugindocs finds problems"
git --no-pager diff --no-index --stat --exit-code docs "$tree/docs" >&2 || fails "docs/ is not up to date: run make docs"
"$work/docs" check . "$cli" || fails "links, promises or configurations on pages are wrong"
quietly tools/pictures.sh check || fails "README.md shows another rejected plan: run tools/pictures.sh plan"
quietly go -C tools/docs test ./... || fails "the tests of these checks fail"
exit "$failed"
