// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"os"
	"strconv"
	"testing"
)

// EnvNumber returns a number from an environment variable, such as the first seed of a simulation. If the variable is
// not set, it returns fallback. It fails the test if the value is not a number.
func EnvNumber(t testing.TB, name string, fallback uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
