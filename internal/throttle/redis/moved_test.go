// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// If the server names a node on another host, nothing is sent there, and no password, because
// without TLS nothing proves whose host it is. The run ends with an error that says what to do.
func TestPasswordDoesNotFollowARedirection(t *testing.T) {
	t.Parallel()
	for node, follows := range map[string]bool{
		"elsewhere.example:6379": false,
		"192.0.2.7:6379":         false,
		"server.test:6380":       true, // another port of the same host
	} {
		throttletest.Virtual(t, node, func(t *testing.T) {
			first, other := newFakeRedis(t), newFakeRedis(t)
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				if address == node {
					return other.dial(ctx, network, address)
				}
				return first.dial(ctx, network, address)
			}
			store, err := Open(t.Context(), Config{URL: serverURL, RetryFor: time.Minute, Dial: dial})
			if err != nil {
				t.Fatal(err)
			}
			first.failing.Store("MOVED 16287 " + node)
			start := time.Now()
			_, err = store.Acquire(t.Context(), throttletest.Ask())
			if sent := other.sent.Load() > 0; sent != follows {
				t.Errorf("sent something to %s: %t, want %t", node, sent, follows)
			}
			if follows {
				// If the other node fails, the run starts again with the configured one.
				other.failing.Store("READONLY")
				first.failing.Store("")
				_, again := store.Acquire(t.Context(), throttletest.Ask())
				if err = errors.Join(err, again); err != nil {
					t.Error(err)
				}
				return
			}
			wantError(t, err)
			if !errors.Is(err, errOtherHost) || !strings.Contains(err.Error(), node) || time.Since(start) > noAnswer {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
		})
	}
}

// After a failover, the address belongs to another server. The store uses that server,
// although the old one still answers, as a replica of the new one.
func TestAddressFailsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		old, next := newFakeRedis(t), newFakeRedis(t)
		next.identity.Add(1)
		leads := old
		store, err := Open(t.Context(), Config{
			URL: serverURL, RetryFor: 20 * time.Second,
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				return leads.dial(ctx, network, address)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		throttletest.Grants(t, store, true)
		leads = next
		old.failing.Store("READONLY You can't write against a read only replica.")
		if _, err := store.Acquire(t.Context(), throttletest.Ask()); err != nil {
			t.Error(err)
		}
		throttletest.WantNotices(t, store, throttle.StoreRebuilt)
	})
}

func TestTrustedNodes(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"redis://:pw@budget.example":  false, // nothing proves whose host it is
		"rediss://:pw@budget.example": true,  // the certificate must contain budget.example
		"redis://budget.example":      true,  // there is no password
		"redis://:pw@ELSEWHERE.test":  true,  // the same host
	} {
		s, err := parseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.trusts("elsewhere.test:6379"); got != want {
			t.Errorf("%s: %t, want %t", url, got, want)
		}
	}
}

// Every form in which Redis says which node has the key.
func TestMovedTo(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"MOVED 16287 10.0.0.2:6379":                   "10.0.0.2:6379",
		"MOVED 16287 cache.example:6379":              "cache.example:6379",
		"MOVED 16287 ::1:44875":                       "[::1]:44875", // IPv6, without brackets
		"MOVED 16287 :37197":                          "asked.example:37197",
		"MOVED 16287":                                 "",
		"MOVED 16287 nowhere":                         "",
		"ERR unknown command":                         "",
		"READONLY You can't write against a replica.": "",
	} {
		got, ok := movedTo(redigo.Error(answer), "asked.example:6379")
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %t, want %q", answer, got, ok, want)
		}
	}
	if _, ok := movedTo(errors.New("MOVED 16287 10.0.0.2:6379"), ""); ok {
		t.Error("an error that no server sent is used")
	}
}

// A server repeats the beginning of what it was sent. Errors do not contain it.
func TestServerRepeatsThePassword(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("S3cret", 40)
	for _, text := range []string{secret, secret[:128], "ERR unknown command `AUTH`, with args beginning with: `" + secret[:100]} {
		r := &logStore{server: redisServer{node: "server.test:6379", scheme: "redis", password: secret}}
		if got := r.wrap(redigo.Error(text)).Error(); strings.Contains(got, secret[:16]) {
			t.Errorf("the error is %q", got)
		}
	}
}
