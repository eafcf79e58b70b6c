// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// ServerOptions say how [Run] serves.
type ServerOptions struct {
	Address     string    // host and port; port 0 selects a free port
	StateFile   string    // the file that keeps the state; "" keeps it in memory
	NoLimits    bool      // lifts the rate limits
	AllowRemote bool      // allows an address that other machines can reach
	Out         io.Writer // the greeting and one line for each request; nil is os.Stdout
}

// Run serves the embedded service until ctx ends, then stops cleanly and
// returns nil. The credentials are public, so without AllowRemote it refuses to
// listen on an address other than loopback, and answers only requests for local
// host names: a web page cannot reach it by pointing its own name here.
func Run(ctx context.Context, options ServerOptions) error {
	if options.Out == nil {
		options.Out = os.Stdout
	}
	listener, err := listen(ctx, options)
	if err != nil {
		return err
	}
	service, err := open(ctx, Options{StateFile: options.StateFile, NoLimits: options.NoLimits, Log: options.Out})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := greet(options, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}

	server := &http.Server{Handler: service, ReadHeaderTimeout: 10 * time.Second}
	if !options.AllowRemote {
		server.Handler = localNamesOnly(service)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	// Requests in progress get some time: a write that has begun must end.
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		return errors.Join(err, server.Close())
	}
	_, err = fmt.Fprintln(options.Out, "stopped")
	return err
}

// listen opens the port, on a loopback address unless AllowRemote is set.
func listen(ctx context.Context, options ServerOptions) (net.Listener, error) {
	address, err := net.ResolveTCPAddr("tcp", options.Address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", options.Address, err)
	}
	if !address.IP.IsLoopback() && !options.AllowRemote {
		return nil, fmt.Errorf("%q is not a loopback address; the credentials of the sandbox are public, so it "+
			"listens only on 127.0.0.1, ::1 or localhost, unless you set -sandbox-remote", options.Address)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address.String())
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", options.Address, err)
	}
	return listener, nil
}

// greet prints the address of the service and how to use it.
func greet(options ServerOptions, address net.Addr) error {
	state := "in memory, gone when this stops"
	if options.StateFile != "" {
		state = options.StateFile
	}
	limits := "as specified: 20 requests a second, 500 a minute; results 2 a second, 30 a minute"
	if options.NoLimits {
		limits = "off"
	}
	_, err := fmt.Fprintf(options.Out, `Assessment service (embedded) on http://%[1]s%[2]s
Pages for people: http://%[1]s/
State: %[3]s
Limits: %[4]s

To use it:

  export ASSESS_BASE_URL=http://%[1]s%[2]s
  export ASSESS_CLIENT_ID=%[5]s
  export ASSESS_API_KEY=%[6]s

Ctrl-C stops it.
`, address, basePath, state, limits, ClientID, APIKey)
	return err
}

// localNamesOnly refuses requests for a host name that is not local.
func localNamesOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			// The request has no number of its own: it never reaches the service.
			const conversation = "conv-misdirected"
			given := answerTo(refuse(http.StatusMisdirectedRequest, "MISDIRECTED",
				"this service answers requests for localhost and loopback addresses only"), conversation)
			given.header.Set("Conversation-Id", conversation)
			given.write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}
