#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/sign.sh DIR
#
# Checks the files of a release in DIR against their checksums, and signs the checksums
# with the key in GPG_PRIVATE_KEY (armored, without a passphrase), as both registries
# expect: a binary signature, SHA256SUMS.sig.
set -euo pipefail
cd "$1"
: "${GPG_PRIVATE_KEY:?the key to sign with is missing}"

sums=$(echo terraform-provider-assess_*_SHA256SUMS)
[ -s "$sums" ] || { echo "sign: expected exactly one file of checksums in $1" >&2; exit 1; }
sha256sum --check --quiet --strict "$sums"

GNUPGHOME=$(mktemp -d)
export GNUPGHOME
trap 'gpgconf --kill gpg-agent 2>/dev/null || true; rm -rf "$GNUPGHOME"' EXIT
gpg --batch --quiet --import <<<"$GPG_PRIVATE_KEY"
unset GPG_PRIVATE_KEY
gpg --batch --quiet --yes --output "$sums.sig" --detach-sign "$sums"
gpg --batch --quiet --verify "$sums.sig" "$sums"
