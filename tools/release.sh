#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Builds a release, and proves that every build of it is identical:
#   tools/release.sh build        builds and packs the commit into dist/, for all platforms
#   tools/release.sh check        builds three platforms twice, signs them with a temporary key,
#                                 and checks what registries and users rely on
#   tools/release.sh verify SUMS  builds all platforms twice. SUMS, if set, is the path of the
#                                 published checksums, which are compared too
# A commit with a tag vX.Y.Z becomes that version. Other commits become a snapshot. Only
# build writes into the working tree. Uncommitted changes are not built.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

limit=23000000 # bytes of a binary
sample=(linux_amd64 darwin_arm64 windows_amd64)
fail() { echo "release: $*" >&2; exit 1; }

mode=${1:-}
case "$mode" in
  build | check | verify) ;;
  *) echo "usage: tools/release.sh build|check|verify [SHA256SUMS]" >&2; exit 2 ;;
esac
published=
if [ "$mode" = verify ] && [ -n "${2:-}" ]; then
  published=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
  [ -s "$published" ] || fail "$2 is missing or empty"
fi

# Releases are built with the toolchain in go.mod, even if GOTOOLCHAIN is set.
toolchain=$(sed -n 's/^toolchain //p' go.mod)
goroot=$(GOTOOLCHAIN=$toolchain go env GOROOT) || fail "$toolchain is missing, and cannot be downloaded"
downloads=$(go env GOMODCACHE)/cache/download
export GOFLAGS=-buildvcs=false GOTOOLCHAIN=local PATH=$goroot/bin:$PATH

goreleaser=$root/.bin/goreleaser
if [ ! -x "$goreleaser" ] || [ tools/release/go.sum -nt "$goreleaser" ]; then
  echo "building goreleaser into .bin/: once, about five minutes ..." >&2
  mkdir -p .bin
  (cd tools/release && go build -buildvcs=false -o "$goreleaser" github.com/goreleaser/goreleaser/v2)
fi

commit=$(git rev-parse HEAD)
snapshot=()
git describe --exact-match --tags --match 'v*' >/dev/null 2>&1 || snapshot=(--snapshot)

# GoReleaser writes the checksum of the manifest, but does not copy the manifest.
add_manifest() {
  local sums
  sums=$(echo dist/*_SHA256SUMS)
  cp terraform-registry-manifest.json "${sums%_SHA256SUMS}_manifest.json"
}

if [ "$mode" = build ]; then
  "$goreleaser" release --clean --skip=publish ${snapshot[@]+"${snapshot[@]}"}
  add_manifest
  exit
fi

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
"$goreleaser" check
config=.goreleaser.yml
if [ "$mode" = check ]; then # fewer platforms
  config=$scratch/goreleaser.yml
  awk -v keep=" ${sample[*]} " '!/^      - [a-z]+_[a-z0-9]+$/ || index(keep, " " $2 " ")' .goreleaser.yml >"$config"
fi
git diff --quiet HEAD || echo "release: uncommitted changes are not built" >&2

# build NAME FOLDER TIMEZONE: builds the commit in a clone, with its own caches. Modules in the
# module cache of this machine are not downloaded again. go.sum has their checksums.
build() {
  local tree=$scratch/$1/$2
  echo "== build $1 in $tree" >&2
  git clone --quiet --no-hardlinks --no-checkout "$root" "$tree"
  git -C "$tree" checkout --quiet --detach "$commit"
  cp "$config" "$scratch/$1/goreleaser.yml"
  (
    export GOCACHE=$scratch/$1/cache GOMODCACHE=$scratch/$1/modules GOFLAGS=-modcacherw TZ=$3
    GOPROXY="file://$downloads,$(go env GOPROXY)"
    export GOPROXY
    cd "$tree"
    "$goreleaser" release --skip=publish ${snapshot[@]+"${snapshot[@]}"} --config "$scratch/$1/goreleaser.yml" >"$scratch/$1.log" 2>&1 ||
      { cat "$scratch/$1.log" >&2; fail "build $1 failed"; }
    add_manifest
  )
  mv "$tree/dist" "$scratch/dist-$1"
  chmod -R u+w "$scratch/$1"
  rm -rf "${scratch:?}/$1" # a gigabyte of caches
}
mkdir "$scratch/one" "$scratch/two"
build one terraform-provider-assess UTC
build two "a folder with a much longer name" Asia/Kathmandu

cd "$scratch/dist-one"
sums=$(echo *_SHA256SUMS)
[ -s "$sums" ] || fail "there are no checksums"
for folder in one two; do
  (cd "$scratch/dist-$folder" && sha256sum --check --quiet "$sums") || fail "build $folder does not match its own checksums"
done
while read -r _ file; do
  cmp "$file" "$scratch/dist-two/$file" || fail "$file differs between two builds of the same commit"
done <"$sums"
cmp "$sums" "$scratch/dist-two/$sums" || fail "$sums differs between two builds of the same commit"
echo "$(wc -l <"$sums") files: two builds in different folders with different caches are identical"
if [ -n "$published" ]; then
  diff "$published" "$sums" || fail "this commit, built with $toolchain, does not match the published files"
  echo "identical to the published files: $published"
fi
[ "$mode" = check ] || exit 0

name=${sums%_SHA256SUMS}
version=${name#terraform-provider-assess_}
grep -q " ${name}_manifest.json\$" "$sums" || fail "the manifest has no checksum"
[ "$(jq -r '.metadata.protocol_versions[]' "${name}_manifest.json")" = 6.0 ] || fail "the manifest does not say protocol 6.0"
[ "$(wc -l <"$sums")" = $((4 * ${#sample[@]} + 1)) ] || fail "expected checksums of the archives, their SBOMs and the manifest, and no others"
archives=()
for platform in "${sample[@]}"; do
  archives+=("${name}_$platform" "assess_${version}_$platform")
done
for archive in "${archives[@]}"; do
  zip=$archive.zip platform=${archive#*"$version"_}
  grep -q " $zip\$" "$sums" || fail "$zip has no checksum"
  grep -q " $zip.cdx.json\$" "$sums" || fail "the SBOM of $zip has no checksum"
  case $archive in
    assess_*) binary=assess script="pipeline.sh " ;;
    *) binary=terraform-provider-assess_v$version script= ;;
  esac
  [ "${platform%%_*}" = windows ] && binary=$binary.exe
  [ "$(unzip -Z1 "$zip" | sort | tr '\n' ' ')" = "LICENSE THIRD_PARTY_LICENSES $binary $script" ] ||
    fail "$zip contains $(unzip -Z1 "$zip" | tr '\n' ' ')"
  size=$(unzip -p "$zip" "$binary" | wc -c)
  [ "$size" -le "$limit" ] || fail "$binary of $platform has $size bytes, more than $limit"
  hash=$(unzip -p "$zip" "$binary" | sha256sum | cut -d ' ' -f 1)
  jq -e --arg hash "$hash" --arg toolchain "$toolchain" '.bomFormat == "CycloneDX"
    and any(.metadata.properties[]; .name == "cdx:gomod:binary:hash:SHA-256" and .value == $hash)
    and ([.components[] | select(.name == "std").version] == [$toolchain])
    and ([.components[] | select(.licenses == [])] == [])' "$zip.cdx.json" >/dev/null ||
    fail "the SBOM of $zip does not describe it"
  echo "$archive: $size bytes, packed $(wc -c <"$zip"), $(jq '.components | length' "$zip.cdx.json") components"
done

grep -q "$(grep "assess_${version}_darwin_arm64.zip\$" "$sums" | cut -d ' ' -f 1)" homebrew/Casks/assess.rb ||
  fail "the cask has another checksum than the archive"

command -v gpg >/dev/null || fail "gpg is missing"
export GNUPGHOME=$scratch/gnupg
mkdir -m 700 "$GNUPGHOME"
trap 'gpgconf --kill gpg-agent 2>/dev/null || true; chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
gpg --batch --quiet --passphrase '' --quick-generate-key 'release check <release@example.com>' rsa3072 sign 1d 2>/dev/null
GPG_PRIVATE_KEY=$(gpg --batch --armor --export-secret-keys) "$root/tools/sign.sh" .
gpg --batch --quiet --verify "$sums.sig" "$sums" 2>/dev/null || fail "the signature does not verify"
echo "signed: $sums"
