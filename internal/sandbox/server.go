// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Run serves the embedded service on a host and port (0: a free port) until ctx ends. It then stops cleanly and returns
// nil. The data is invented and the credentials are public, so everyone who can reach it may use it. It listens only on
// a loopback address unless Remote is set. It refuses requests for host names that are not its own (see [ownNames]),
// and forms from pages of other origins. options.Log is required. It begins with instructions.
func Run(ctx context.Context, address string, options Options) error {
	listener, err := listen(ctx, address, options.Remote)
	if err != nil {
		return err
	}
	service, err := Open(ctx, options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := greet(options, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := serveUntilDone(ctx, listener, namesOf(address, options.Remote).only(service)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(options.Log, "stopped")
	return err
}

// Limits for clients that are slow or silent. All answers are short, and the service
// creates each of them quickly.
const (
	headerTimeout = 5 * time.Second
	bodyTimeout   = 15 * time.Second // including the headers
	answerTimeout = 30 * time.Second // including the body of the request
	idleTimeout   = 60 * time.Second
	stopTimeout   = 500 * time.Millisecond
	maxHeader     = 64 << 10 // bytes
)

// serveUntilDone answers on a listener until ctx ends. It closes the listener.
func serveUntilDone(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	// A request that has arrived completely is answered if that takes less than stopTimeout. Other connections are
	// closed. The state file stays whole even if the program ends during a write.
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if server.Shutdown(stopping) == nil {
		return nil
	}
	return server.Close()
}

// listen opens the port, on a loopback address unless remote is set.
func listen(ctx context.Context, address string, remote bool) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	if !resolved.IP.IsLoopback() && !remote {
		return nil, fmt.Errorf("other machines can reach %q, and the credentials of the sandbox are public. Use "+
			"127.0.0.1, ::1 or localhost", address)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", resolved.String())
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	return listener, nil
}

// greet prints the address of the service and how to use it.
func greet(options Options, address net.Addr) error {
	state := "in memory, lost when the service stops"
	if options.StateFile != "" {
		state = options.StateFile
	}
	limits := "20 requests per second and 500 per minute, for results 2 per second and 30 per minute"
	if options.NoLimits {
		limits = "off"
	}
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() { // no address to connect to
		local := *tcp
		local.IP = net.IPv4(127, 0, 0, 1)
		address = &local
	}
	_, err := fmt.Fprintf(options.Log, `Assessment service (embedded) on http://%[1]s%[2]s
Pages for people: http://%[1]s/
State: %[3]s
Limits: %[4]s

To use it:

  export ASSESS_BASE_URL=http://%[1]s%[2]s
  export ASSESS_CLIENT_ID=%[5]s
  export ASSESS_API_KEY=%[6]s

Press Ctrl-C to stop the service.
`, address, basePath, state, limits, ClientID, APIKey)
	return err
}
