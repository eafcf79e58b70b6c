#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
# Tries a release without publishing anything: checks .goreleaser.yml, builds and
# packs three of its platforms, signs with a key made for the occasion, and looks
# at the result as a registry would. Nothing outside a temporary folder changes.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=25000000 # bytes of a stripped binary
platforms=(linux_amd64 darwin_arm64 windows_amd64)

goreleaser=$PWD/.bin/goreleaser
if [ ! -x "$goreleaser" ] || [ tools/release/go.sum -nt "$goreleaser" ]; then
  echo "building goreleaser into .bin/: once, about five minutes ..." >&2
  mkdir -p .bin
  (cd tools/release && go build -o "$goreleaser" github.com/goreleaser/goreleaser/v2)
fi

scratch=$(mktemp -d)
trap 'gpgconf --kill gpg-agent 2>/dev/null || true; rm -rf "$scratch"' EXIT

"$goreleaser" check

# The same configuration, with three platforms instead of all.
sed -e "s/^    goos: .*/    targets: [$(IFS=,; echo "${platforms[*]}")]/" -e '/^    goarch: \[/d' .goreleaser.yml >"$scratch/goreleaser.yml"
echo "dist: $scratch/dist" >>"$scratch/goreleaser.yml"

skip=publish
if command -v gpg >/dev/null; then
  export GNUPGHOME=$scratch/gnupg
  mkdir -m 700 "$GNUPGHOME"
  gpg --batch --quiet --passphrase '' --quick-generate-key 'release check <nobody@example.com>' rsa3072 sign 1d 2>/dev/null
  GPG_FINGERPRINT=$(gpg --batch --with-colons --list-keys | awk -F: '/^fpr/ {print $10; exit}')
  export GPG_FINGERPRINT
else
  echo "no gpg on PATH: the signature is left out" >&2
  skip=publish,sign
fi
"$goreleaser" release --snapshot --skip="$skip" --config "$scratch/goreleaser.yml"

cd "$scratch/dist"
fail() { echo "release check: $*" >&2; exit 1; }
sums=$(echo terraform-provider-assess_*_SHA256SUMS)
[ -f "$sums" ] || fail "no checksums"
name=${sums%_SHA256SUMS}
version=${name#terraform-provider-assess_}
grep -q " ${name}_manifest.json\$" "$sums" || fail "the manifest has no checksum"
for platform in "${platforms[@]}"; do
  zip=${name}_$platform.zip
  grep " $zip\$" "$sums" | sha256sum --check --quiet || fail "$zip is not what its checksum says"
  binary=terraform-provider-assess_v$version
  [ "${platform%%_*}" = windows ] && binary=$binary.exe
  size=$(unzip -p "$zip" "$binary" | wc -c)
  [ "$size" -gt 0 ] || fail "$zip does not hold $binary"
  [ "$size" -le "$limit" ] || fail "$binary of $platform has $size bytes, more than $limit"
  echo "$platform: $size bytes, packed $(wc -c <"$zip")"
done
if [ "$skip" = publish ]; then
  gpg --batch --quiet --verify "$sums.sig" "$sums" 2>/dev/null || fail "the signature does not verify"
  echo "signed: $sums"
fi
