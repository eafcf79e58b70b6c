// SPDX-License-Identifier: MPL-2.0

package pages

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Run writes instructions to o.Log, which is required, and serves the sandbox and its pages until ctx ends. It listens
// on loopback addresses only, because the credentials are public. It returns an error if it cannot start, for example
// because ctx ends before the state file is free, or if the server fails.
func Run(ctx context.Context, o Options) error {
	listener, err := listen(ctx, o.Listen)
	if err != nil {
		return err
	}
	service, err := sandbox.Open(ctx, o.Options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := printInstructions(o, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serveUntilDone(ctx, listener, ownNamesOnly(Handler(service, service)))
}

// readTimeout is how long the headers of a request may take. Only programs on this machine send requests.
const readTimeout = 15 * time.Second

// serveUntilDone serves on a listener until ctx ends. It then closes the listener and all connections, without waiting
// for responses. It returns an error if the server fails before.
func serveUntilDone(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: readTimeout}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listen listens on an address such as localhost:8377. It rejects an address that is not a loopback address. It listens
// on the resolved address that it has checked, because the host name could later resolve to another address.
func listen(ctx context.Context, address string) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	if !resolved.IP.IsLoopback() {
		return nil, fmt.Errorf("other machines can reach %q, and the credentials of the sandbox are public. Use "+
			"127.0.0.1, [::1] or localhost", address)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", resolved.String())
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	return listener, nil
}

// printInstructions writes to the log the address of the pages, where the state is, the rate limits, and the settings
// for the provider, with the public credentials.
func printInstructions(o Options, address net.Addr) error {
	state := "in memory, lost when the service stops"
	if o.StateFile != "" {
		state = o.StateFile
	}
	limits := "20 requests per second and 500 per minute, for results 2 per second and 30 per minute"
	if o.NoLimits {
		limits = "off"
	}
	_, err := fmt.Fprintf(o.Log, `Pages: http://%[1]s/
State: %[2]s
Limits: %[3]s

To use it:

  export ASSESS_BASE_URL=http://%[1]s/v1
  export ASSESS_CLIENT_ID=%[4]s
  export ASSESS_API_KEY=%[5]s

Press Ctrl-C to stop the service.
`, address, state, limits, sandbox.ClientID, sandbox.APIKey)
	return err
}

// ownNamesOnly rejects a request unless its host is localhost or a loopback address. Otherwise, a web page could make
// its own host name resolve to the server, and would then have the same origin as the sandbox (DNS rebinding).
func ownNamesOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		ip, err := netip.ParseAddr(host)
		if !strings.EqualFold(host, "localhost") && (err != nil || !ip.Unmap().IsLoopback()) {
			http.Error(w, "The sandbox serves requests for localhost and loopback addresses only.",
				http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
