// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/companion/pages"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// runServer runs the server on a free port until the test ends. It returns the settings
// from the greeting, and the later output.
func runServer(t *testing.T, options sandbox.Options) (map[string]string, func() string) {
	t.Helper()
	reader, writer := io.Pipe()
	options.Log = writer
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- pages.Run(ctx, pages.Options{Options: options, Listen: "127.0.0.1:0"})
		_ = writer.Close()
	}()
	lines, settings := bufio.NewReader(reader), map[string]string{}
	for line := ""; !strings.Contains(line, "Ctrl-C"); {
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			cancel()
			t.Fatalf("the server ended: %v", <-ended)
		}
		for _, separator := range []string{": ", "="} {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), separator); ok {
				settings[strings.TrimPrefix(name, "export ")] = value
			}
		}
	}
	var rest bytes.Buffer
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(&rest, lines)
		close(copied)
	}()
	stop := func() string {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		<-copied
		return rest.String()
	}
	return settings, stop
}

func TestServerGreetsServesAndStops(t *testing.T) {
	t.Parallel()
	settings, stop := runServer(t, sandbox.Options{})
	request := sandboxtest.NewRequest(t, http.MethodGet, settings["ASSESS_BASE_URL"]+"/positions?limit=1", "")
	request.SetBasicAuth(settings["ASSESS_CLIENT_ID"], settings["ASSESS_API_KEY"])
	send(t, http.DefaultTransport, request).Want(t, http.StatusOK, settings["ASSESS_BASE_URL"])
	visit(t, settings["Pages"]).Want(t, http.StatusOK, "<h1>Overview</h1>")
	printed := stop()
	if !strings.Contains(printed, "200 GET /v1/positions?limit=1\n") || !strings.HasSuffix(printed, "stopped\n") {
		t.Errorf("printed:\n%s", printed)
	}
}

func TestServerAcceptsOnlyLocalNames(t *testing.T) {
	t.Parallel()
	settings, stop := runServer(t, sandbox.Options{})
	defer stop()
	for host, want := range map[string]int{
		"localhost:80": 200, "127.0.0.1": 200, "[::1]:80": 200,
		"rebound.example": 421, "192.0.2.7:8377": 421, "localhost.example": 421,
	} {
		request := sandboxtest.NewRequest(t, http.MethodGet, settings["ASSESS_BASE_URL"]+"/positions", "")
		request.Host = host
		got := send(t, http.DefaultTransport, request)
		if got.Status != want {
			t.Errorf("Host %s: %d, want %d", host, got.Status, want)
		}
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
