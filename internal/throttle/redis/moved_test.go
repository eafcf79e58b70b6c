// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"bytes"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorded is a connection that keeps what the client writes.
type recorded struct {
	net.Conn
	mu   *sync.Mutex
	sent *bytes.Buffer
}

func (r recorded) Write(b []byte) (int, error) {
	r.mu.Lock()
	r.sent.Write(b)
	r.mu.Unlock()
	return r.Conn.Write(b)
}

// If the server names a node on another host, the password does not follow, because without TLS
// nothing proves whose host it is. The run ends with an error that says what to do.
func TestPasswordDoesNotFollowARedirection(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		node    string
		follows bool
	}{
		"another host":             {"elsewhere.example:6379", false},
		"another address":          {"192.0.2.7:6379", false},
		"another port of the host": {"server.test:6380", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first, other := newFakeRedis(t), newFakeRedis(t)
				var mu sync.Mutex
				var dialed []string
				var sent bytes.Buffer
				store, err := Open(t.Context(), Config{URL: serverURL, RetryFor: time.Minute, Dial: func(
					ctx context.Context, network, address string,
				) (net.Conn, error) {
					mu.Lock()
					dialed = append(dialed, address)
					mu.Unlock()
					if address == "server.test:6379" {
						return first.dial(ctx, network, address)
					}
					conn, err := other.dial(ctx, network, address)
					return recorded{conn, &mu, &sent}, err
				}})
				if err != nil {
					t.Fatal(err)
				}
				first.failing.Store("MOVED 16287 " + row.node)
				start := time.Now()
				_, err = store.Acquire(t.Context(), ask())
				mu.Lock()
				defer mu.Unlock()
				followed := slices.Contains(dialed, row.node) && strings.Contains(sent.String(), serverPassword)
				if followed != row.follows {
					t.Errorf("connected to %q, sent the password there: %t, want %t", dialed, followed, row.follows)
				}
				if row.follows {
					if err != nil {
						t.Error(err)
					}
					return
				}
				wantError(t, err)
				if !errors.Is(err, errOtherHost) || !strings.Contains(err.Error(), row.node) || time.Since(start) > noAnswer {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
			})
		})
	}
}

func TestTrustedNodes(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"redis://:pw@budget.example":  false, // nothing proves whose host it is
		"rediss://:pw@budget.example": true,  // the certificate must contain budget.example
		"redis://budget.example":      true,  // there is no password
		"redis://:pw@ELSEWHERE.test":  true,  // the same host
	} {
		s, err := parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.trusts("elsewhere.test:6379"); got != want {
			t.Errorf("%s: %t, want %t", url, got, want)
		}
	}
}
