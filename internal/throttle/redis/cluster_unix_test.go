// SPDX-License-Identifier: MPL-2.0

//go:build unix

package redis

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
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

// A node of a cluster that does not have the key names the node that has it.
func TestCluster(t *testing.T) {
	t.Parallel()
	var nodes []*redistest.Server
	for range 2 {
		nodes = append(nodes, redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", redistest.Port(t)))
	}
	named, has := nodes[0], nodes[1]
	has.Must("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
	named.Must("CLUSTER", "MEET", "127.0.0.1", has.Argument("--port"), has.Argument("--cluster-port"))
	eventually(t, "both know the slots, and the cluster is up", func() bool {
		return !slices.ContainsFunc(nodes, func(n *redistest.Server) bool {
			known, _ := redigo.String(n.Do("CLUSTER", "NODES"))
			info, _ := redigo.String(n.Do("CLUSTER", "INFO"))
			return !strings.Contains(known, "0-16383") || !strings.Contains(info, "cluster_state:ok")
		})
	})
	if n, _ := throttletest.Grants(t, open(t, named, Config{RetryFor: time.Minute}), false); n != 20 {
		t.Errorf("granted %d through one node, want 20", n)
	}
	if n, _ := throttletest.Grants(t, open(t, has, Config{}), false); n != 0 {
		t.Errorf("granted %d more through the other, want none", n)
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
		r := &store{server: server{node: "server.test:6379", scheme: "redis", password: secret}}
		if got := r.wrap(redigo.Error(text)).Error(); strings.Contains(got, secret[:16]) {
			t.Errorf("the error is %q", got)
		}
	}
}
