#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0
#
#   tools/wine.sh [PACKAGE...]
#
# Runs tests for Windows under Wine, for contributors without Windows. The default is all
# packages whose tests require no CLI. CI runs the same tests on Windows.
# On Debian: apt-get install wine64 binutils-mingw-w64-x86-64
#
# Wine 8 does not have two functions that Go uses. A library forwards one of them to an older
# function. A build overlay deletes files as Go does on Windows 8. It shows symbolic links as files,
# so the tests of links do not run.
set -euo pipefail
cd "$(dirname "$0")/.."

wine=$(command -v wine64 || command -v /usr/lib/wine/wine64) || { echo "wine64 is missing" >&2; exit 1; }
scratch=$(mktemp -d)
server=$(dirname "$(readlink -f "$wine")")/wineserver # it writes into the prefix until it ends
trap '"$server" -k || true; "$server" -w || true; rm -rf "$scratch"' EXIT
export WINEPREFIX=$scratch/prefix WINEDEBUG=-all
unset CI # in CI, a test fails if a program that it needs is missing, and Wine has only the tests

"$wine" wineboot --init >/dev/null 2>&1
printf 'LIBRARY bcryptprimitives.dll\nEXPORTS\nProcessPrng=advapi32.SystemFunction036\n' >"$scratch/forward.def"
x86_64-w64-mingw32-as -o "$scratch/empty.o" </dev/null
x86_64-w64-mingw32-ld -shared -e 0 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
  "$scratch/empty.o" "$scratch/forward.def"

file=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
sed 's/if TestDeleteatFallback {/if true {/' "$file" >"$scratch/at_windows.go"
cmp --quiet "$file" "$scratch/at_windows.go" && { echo "wine: the overlay for $file is out of date" >&2; exit 1; }
printf '{"Replace": {"%s": "%s"}}\n' "$file" "$scratch/at_windows.go" >"$scratch/overlay.json"

packages=("$@")
[ $# -gt 0 ] || packages=(./internal/assessapi ./internal/files ./internal/positionassessment/rules ./internal/sandbox
  ./internal/throttle ./internal/throttle/redis ./internal/provider .)
links='^Test.*$/(^link$|^a_link_as_)'
failed=0
for package in "${packages[@]}"; do
  echo "== $package"
  pattern=.
  [ "$package" = . ] && pattern='^Test(WaitFor|Provider)End' # the other tests of the program run the Go toolchain
  GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go test -c -overlay "$scratch/overlay.json" -o "$scratch/test.exe" "$package"
  (cd "$package" && "$wine" "$scratch/test.exe" -test.short -test.timeout 30m -test.run "$pattern" -test.skip "$links") || failed=1
done
exit "$failed"
