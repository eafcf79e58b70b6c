// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// service is the embedded service in its own process.
type service struct {
	process *exec.Cmd
	address string
}

// startService starts this command as a service with positions.
func startService(ctx context.Context, self string, positions int) (*service, error) {
	process := exec.CommandContext(ctx, self, "-serve", strconv.Itoa(positions))
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the service printed %q: %w", address, err)
	}
	return &service{process: process, address: strings.TrimSpace(address)}, nil
}

func (s *service) stop() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// requests returns how many requests the service has received.
func (s *service) requests(ctx context.Context) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+"/requests", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var n int
	_, err = fmt.Fscan(resp.Body, &n)
	return n, err
}

// serveEstate serves positions without assessments.
func serveEstate(ctx context.Context, positions int) error {
	service, err := sandbox.New(sandbox.Options{NoLimits: true, Seed: func() *sandbox.State {
		st := sandbox.Demo()
		st.Positions = nil
		for n := range positions {
			st.Positions = append(
				st.Positions,
				sandbox.Position{ID: fmt.Sprintf("pos-%05d", n), Title: fmt.Sprintf("Position %d", n), Locale: "en-GB"},
			)
		}
		return st
	}})
	if err != nil {
		return err
	}
	var count atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		service.ServeHTTP(w, r)
	})
	mux.HandleFunc("/requests", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, count.Load()) })
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
