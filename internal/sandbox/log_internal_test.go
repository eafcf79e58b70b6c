// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// A log is read in a terminal, which must not obey a client.
func TestLogIsPrintable(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logged := newRequestLog(&log)
	logged.print("GET", "/\u009b31m\n\x00é"+strings.Repeat("x", 10_000), http.StatusNotFound)
	unclean := func(r rune) bool { return r < ' ' || r > '~' }
	line, isLine := strings.CutSuffix(log.String(), "\n")
	if !isLine || strings.ContainsFunc(line, unclean) || len(line) > 2*maxLogged || !strings.Contains(line, "404 GET /") {
		t.Errorf("logged %q", log.String())
	}
}
