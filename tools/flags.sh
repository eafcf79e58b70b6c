# SPDX-License-Identifier: MPL-2.0
# shellcheck shell=bash
#
# The settings with which the demo, OpenTofu and the tests are compiled. Whatever two of them use is
# compiled only once. Functions are not inlined, and there is no data for debuggers, because the first
# run waits for the compiler. Scripts source this file.
export CGO_ENABLED=0
export GOFLAGS="${GOFLAGS:-} -buildvcs=false -trimpath '-gcflags=all=-l -dwarf=false' '-ldflags=-s -w'"
