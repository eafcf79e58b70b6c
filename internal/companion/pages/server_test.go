// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/companion/pages"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The pages and the service reject requests under names of other sites, which can name this machine (DNS rebinding). The
// server prints its settings, and stops when its context ends.
func TestServerAcceptsOnlyLocalNames(t *testing.T) {
	t.Parallel()
	printed, log := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- pages.Run(ctx, pages.Options{Options: sandbox.Options{Log: log}, Listen: "127.0.0.1:0"})
		_ = log.Close()
	}()
	address := ""
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if base, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "export ASSESS_BASE_URL="); ok {
			address = base
		}
		if strings.Contains(lines.Text(), "Ctrl-C") {
			go func() { _, _ = io.Copy(io.Discard, printed) }()
			break
		}
	}
	for host, want := range map[string]int{
		"localhost:80": 200, "127.0.0.1": 200, "[::1]:80": 200,
		"rebound.example": 421, "192.0.2.7:8377": 421, "localhost.example": 421,
	} {
		for _, page := range []string{address + "/positions", strings.TrimSuffix(address, "/v1") + "/"} {
			request := sandboxtest.NewRequest(t, http.MethodGet, page, "")
			request.Host = host
			if got := send(t, http.DefaultTransport, request); got.Status != want {
				t.Errorf("Host %s, %s: %d, want %d", host, page, got.Status, want)
			}
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

func TestServerRejectsRemoteAddresses(t *testing.T) {
	t.Parallel()
	const remote = "other machines can reach"
	for _, row := range []struct{ address, file, says string }{
		{"0.0.0.0:0", "", remote},
		{"[::]:0", "", remote},
		{":0", "", remote},
		{"nonsense", "", "nonsense"},
		{"127.0.0.1:0", "/dev/null/state.json", "/dev/null/state.json"},
	} {
		err := pages.Run(t.Context(), pages.Options{
			Listen: row.address, Options: sandbox.Options{StateFile: row.file, Log: io.Discard},
		})
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%+v: %v", row, err)
		}
	}
}
