#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# The Go modules of the repository, and those that the provider and the companion contain:
#   tools/modules.sh check      fails if go.mod files name different versions of Go, or if the
#                               provider contains a module without an accepted license
#   tools/modules.sh notices    writes the license texts of a release into .bin/
#   tools/modules.sh sbom BINARY VERSION TIME DOCUMENT
#                               writes a software bill of materials. Run notices before it
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
export LC_ALL=C GOFLAGS=-buildvcs=false CGO_ENABLED=0

# The licenses that modules of a binary under the MPL 2.0 may have. The one of Unicode is about tables of characters.
accepted=Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC,MIT,MPL-2.0,Unicode-DFS-2016
systems=(darwin freebsd linux windows) # of a release. Each links different modules.
modules=$root/.bin/modules.tsv
cyclonedx=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

tool() { # tool NAME PACKAGE: builds a tool of tools/modules into .bin/
  local binary=$root/.bin/$1
  if [ ! -x "$binary" ] || [ "$root/tools/modules/go.sum" -nt "$binary" ]; then
    echo "building $1 into .bin/: once, about a minute ..." >&2
    go -C "$root/tools/modules" build -trimpath -o "$binary" "$2"
  fi
}

versions() { # versions: fails if a go.mod file names another version of Go than the first
  local file own first problems=0
  first=$(grep -E '^(go|toolchain) ' "$root/go.mod")
  grep -q '^toolchain ' <<<"$first" || { echo "go.mod has no toolchain line: it names the Go that builds releases" >&2; problems=1; }
  while read -r file; do
    own=$(grep -E '^(go|toolchain) ' "$root/$file" || true)
    [ "$own" = "$first" ] || { echo "$file has ${own//$'\n'/ and }, but go.mod has ${first//$'\n'/ and }" >&2; problems=1; }
  done < <(git -C "$root" ls-files -co --exclude-standard '*/go.mod')
  return $problems
}

list() { # list: writes the name, version, license and license file of each module
  local system
  tool go-licenses github.com/google/go-licenses/v2
  printf '{{range .}}{{.Name}}\t{{.Version}}\t{{.LicenseName}}\t{{.LicensePath}}\n{{end}}' >"$modules.format"
  # GOROOT tells go-licenses which packages are of the standard library. It looks up addresses of
  # licenses, which are not used, so the proxy rejects that.
  for system in "${systems[@]}"; do
    (cd "$root" && GOROOT=$(go env GOROOT) GOOS=$system HTTP_PROXY=127.0.0.1:9 HTTPS_PROXY=127.0.0.1:9 .bin/go-licenses \
      report . ./cmd/assess --template "$modules.format" --logtostderr=false --log_file=/dev/null --stderrthreshold=ERROR)
  done | sort -u >"$modules"
  printf 'std\t%s\tBSD-3-Clause\t%s\n' "$(go env GOVERSION)" "$(go env GOROOT)/LICENSE" >>"$modules"
}

licenses() { # licenses: fails if the license of a module is unknown or not accepted
  list
  grep -q '^github.com/hashicorp/terraform-plugin-framework' "$modules" || { echo "go-licenses finds no modules" >&2; return 1; }
  awk -F '\t' -v accepted=",$accepted," '!index(accepted, "," $3 ",") {
    print $1 " has the license \"" $3 "\", which is not accepted"; failed = 1 } END { exit failed }' "$modules" >&2
}

notices() { # notices: writes the texts of all licenses
  local name version file text
  tool cyclonedx-gomod "$cyclonedx" # here, because GoReleaser passes few variables to sbom
  list
  {
    echo "terraform-provider-assess and assess contain the following software."
    while IFS=$'\t' read -r name version _ file; do
      [ "$file" != "$root/LICENSE" ] || continue
      while read -r text; do
        printf '\n%s\n%s %s: %s\n\n' "$(printf '=%.0s' {1..80})" "$name" "$version" "${text##*/}"
        cat "$text"
      done < <(find "$(dirname "$file")/" -maxdepth 1 -type f | grep -iE '/(licen[cs]e|copying|notice|patents)([.-][^/]*)?$' | sort)
    done <"$modules"
  } >"$root/.bin/THIRD_PARTY_LICENSES"
}

sbom() { # sbom BINARY VERSION TIME DOCUMENT: the same binary always gives the same bytes
  "$root/.bin/cyclonedx-gomod" bin -json -std -noserial -notimestamp -version "v$2" "$1" |
    jq --rawfile modules "$modules" --arg time "$3" '
      ($modules | split("\n") | map(split("\t"))) as $rows
      | def licensed: (.name + "/") as $path
          | .licenses = ([$rows[] | select((.[0] // "") + "/" | startswith($path)) | {license: {id: .[2]}}] | unique);
      .metadata.timestamp = $time
      | del(.metadata.tools[].hashes)
      | .metadata.component |= licensed
      | .components[] |= licensed' >"$4"
}

case "${1:-}" in
  check) versions && licenses ;;
  notices) notices ;;
  sbom) sbom "${@:2}" ;;
  *) echo "usage: tools/modules.sh check | notices | sbom BINARY VERSION TIME DOCUMENT" >&2; exit 2 ;;
esac
