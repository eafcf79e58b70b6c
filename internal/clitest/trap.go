// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"bufio"
	"net"
	"net/http"
	"sync"
	"testing"
)

// trapProxy starts a proxy that refuses each request, and fails the test that has sent it. Programs do not use
// a proxy for addresses of this machine, so the proxy sees only what would go to another host. It returns its
// address.
func trapProxy(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu    sync.Mutex
		found []string
	)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = connection.Close() }()
				req, err := http.ReadRequest(bufio.NewReader(connection))
				if err != nil {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				found = append(found, req.Method+" "+req.Host)
				_, _ = connection.Write([]byte("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
			}()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, request := range found {
			t.Errorf("a program of this test sent a request to another host: %s", request)
		}
	})
	return "http://" + listener.Addr().String()
}
