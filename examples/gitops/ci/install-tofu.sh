#!/bin/sh
# Installs OpenTofu, if the image of the job has no CLI. To change the version, also set the
# checksum of tofu_VERSION_linux_amd64.zip. The page of the release shows it.
set -eu
command -v "${CLI:-tofu}" && exit
version=1.12.6
checksum=5dc43da4f750f33873dc25e94587128709e819e544b7be9016b255316153c3a8
curl --fail --silent --show-error --location --output /tmp/tofu.zip \
  "https://github.com/opentofu/opentofu/releases/download/v$version/tofu_${version}_linux_amd64.zip"
echo "$checksum  /tmp/tofu.zip" | sha256sum -c
unzip -q -o /tmp/tofu.zip tofu -d /usr/local/bin
