// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Log = &log })
	get(t, server, "/positions?title=a%20b&limit=3")
	post(t, server, "/positions/a%2Fb/assessments", `{"x":1}`)
	get(t, server, "/nowhere")

	entries := server.Journal()
	if len(entries) != 3 {
		t.Fatalf("%d entries", len(entries))
	}
	get, post, nowhere := entries[0], entries[1], entries[2]
	if get.Method != "GET" || get.Route != sandbox.RoutePositions || get.Path != "/positions" ||
		get.Query.Get("title") != "a b" || get.Status != 200 {
		t.Errorf("GET: %+v", get)
	}
	if post.Route != sandbox.RoutePositionAssessments || post.Path != "/positions/a%2Fb/assessments" ||
		string(post.RequestBody) != `{"x":1}` || post.Status != 404 {
		t.Errorf("POST: %+v", post)
	}
	if nowhere.Route != "" || nowhere.Status != 404 {
		t.Errorf("nowhere: %+v", nowhere)
	}
	for _, entry := range entries {
		if entry.Header.Get("Authorization") != "" || entry.Header.Get("User-Agent") == "" {
			t.Errorf("headers: %v", entry.Header)
		}
	}
	server.AssertCount(t, "", "", 3)
	server.AssertCount(t, "GET", "", 2)
	server.AssertCount(t, "", sandbox.RoutePositions, 1)
	server.AssertCount(t, "POST", sandbox.RoutePositions, 0)
	if writes := server.Writes(); len(writes) != 1 || writes[0].Method != "POST" {
		t.Errorf("writes: %+v", writes)
	}

	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "200 GET /v1/positions?title=a%20b&limit=3") {
		t.Errorf("log:\n%s", log.String())
	}
	if strings.Contains(log.String(), sandbox.APIKey) {
		t.Error("the log contains the API key")
	}
	server.ResetJournal()
	server.AssertCount(t, "", "", 0)
}

func TestNoLivePointerEscapes(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t)
	seen := server.State(t)
	seen.Positions[0].Title = "changed"
	var kept *sandbox.State
	server.Change(t, func(st *sandbox.State) { kept = st })
	kept.Positions[0].Title = "changed"
	if title := server.State(t).Positions[0].Title; title == "changed" {
		t.Error("the state was changed from outside")
	}
	get(t, server, "/positions")
	server.Journal()[0].Header.Set("User-Agent", "changed")
	if server.Journal()[0].Header.Get("User-Agent") == "changed" {
		t.Error("the journal was changed from outside")
	}
}
