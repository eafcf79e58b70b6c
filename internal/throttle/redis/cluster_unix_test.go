// SPDX-License-Identifier: MPL-2.0

//go:build unix

package redis

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

// eventually waits until a condition holds on which servers must agree.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// newCluster starts a cluster of size nodes. The first node has no slots.
func newCluster(t *testing.T, size int) []*redistest.Server {
	t.Helper()
	var nodes []*redistest.Server
	for range size {
		nodes = append(nodes, redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", redistest.Port(t),
			"--masterauth", serverPassword, "--cluster-node-timeout", "2000"))
	}
	nodes[1].Must("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
	for _, other := range nodes[1:] {
		nodes[0].Must("CLUSTER", "MEET", "127.0.0.1", other.Argument("--port"), other.Argument("--cluster-port"))
	}
	says := func(n *redistest.Server, command string) string {
		text, _ := redigo.String(n.Do("CLUSTER", command))
		return text
	}
	eventually(t, "the nodes know each other, and the cluster is up", func() bool {
		return !slices.ContainsFunc(nodes, func(n *redistest.Server) bool {
			known := says(n, "NODES")
			return strings.Count(known, " connected") != size || !strings.Contains(known, "0-16383") ||
				!strings.Contains(says(n, "INFO"), "cluster_state:ok")
		})
	})
	return nodes
}

// A node that does not have the key names the node that has it. After that node has
// died, it names the node that has taken over.
func TestCluster(t *testing.T) {
	t.Parallel()
	nodes := newCluster(t, 3)
	named, has, replica := nodes[0], nodes[1], nodes[2]
	id, err := redigo.String(has.Do("CLUSTER", "MYID"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the third is the second's replica", func() bool {
		_, err := replica.Do("CLUSTER", "REPLICATE", id)
		return err == nil
	})
	first, second := open(t, named, Config{RetryFor: time.Minute}), open(t, has, Config{})
	if n, _ := grants(t, first, false); n != 20 {
		t.Errorf("granted %d through one node, want 20", n)
	}
	if n, _ := grants(t, second, false); n != 0 {
		t.Errorf("granted %d more through the other, want none", n)
	}

	eventually(t, "the replica has caught up", func() bool {
		info, err := redigo.String(replica.Do("INFO", "replication"))
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
	has.Kill()
	eventually(t, "the replica has taken over", func() bool {
		_, _ = replica.Do("CLUSTER", "FAILOVER", "TAKEOVER")
		role, err := redigo.String(replica.Do("INFO", "replication"))
		return err == nil && strings.Contains(role, "role:master")
	})
	// The replica may have missed the latest slots, and a new run does not know them.
	wantGrants(t, open(t, replica, Config{}), 0, 90*time.Second)
	if answer, err := first.Acquire(t.Context(), ask()); err != nil || answer.Granted {
		t.Errorf("after the failover: %+v, error %v", answer, err)
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

// After a failover, the address belongs to another server. The store uses that server,
// although the old one still answers, as a replica of the new one.
func TestAddressFailsOver(t *testing.T) {
	t.Parallel()
	old, next := redistest.Start(t, "--masterauth", serverPassword), redistest.Start(t, "--masterauth", serverPassword)
	var leads atomic.Value
	leads.Store(old.Address)
	opened, err := Open(t.Context(), Config{
		URL: "redis://:" + serverPassword + "@budget.example", RetryFor: 20 * time.Second,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			node, _ := leads.Load().(string)
			return new(net.Dialer).DialContext(ctx, network, node)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	store := runsForLong(opened)
	grants(t, store, true)
	leads.Store(next.Address)
	old.Must("REPLICAOF", "127.0.0.1", next.Argument("--port"))
	if _, err := store.Acquire(t.Context(), ask()); err != nil {
		t.Error(err)
	}
	wantNotices(t, store, throttle.StoreRebuilt)
}

// A server repeats the beginning of what it was sent. Errors do not contain it.
func TestServerRepeatsThePassword(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("S3cret", 40)
	for _, text := range []string{secret, secret[:128], "ERR unknown command `AUTH`, with args beginning with: `" + secret[:100]} {
		r := &store{server: server{node: "server.test:6379", scheme: "redis", password: secret}}
		if got := r.wrap(redigo.Error(text)).Error(); strings.Contains(got, secret[:16]) {
			t.Errorf("the error is %q", got)
		}
	}
}
