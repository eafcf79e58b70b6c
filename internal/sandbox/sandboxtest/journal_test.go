// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"bytes"
	"reflect"
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

	want := []sandboxtest.Entry{
		{Method: "GET", Route: sandbox.RoutePositions, Path: "/positions", Status: 200},
		{Method: "POST", Route: sandbox.RoutePositionAssessments, Path: "/positions/a%2Fb/assessments", Status: 404},
		{Method: "GET", Path: "/nowhere", Status: 404},
	}
	entries := server.Journal()
	if len(entries) != len(want) || entries[0].Query.Get("title") != "a b" || string(entries[1].RequestBody) != `{"x":1}` {
		t.Fatalf("entries %+v", entries)
	}
	for i, e := range entries {
		if e.Header.Get("Authorization") != "" || e.Header.Get("User-Agent") == "" {
			t.Errorf("headers: %v", e.Header)
		}
		shown := sandboxtest.Entry{Method: e.Method, Route: e.Route, Path: e.Path, Status: e.Status}
		if !reflect.DeepEqual(shown, want[i]) {
			t.Errorf("entry %+v, want %+v", shown, want[i])
		}
	}
	server.AssertCount(t, "", "", 3)
	server.AssertCount(t, "GET", "", 2)
	server.AssertCount(t, "", sandbox.RoutePositions, 1)
	server.AssertCount(t, "POST", sandbox.RoutePositions, 0)
	if writes := server.Writes(); len(writes) != 1 || writes[0].Method != "POST" {
		t.Errorf("writes: %+v", writes)
	}

	if !strings.Contains(log.String(), "200 GET /v1/positions?title=a%20b&limit=3\n") || strings.Count(log.String(), "\n") != 3 ||
		strings.Contains(log.String(), sandbox.APIKey) {
		t.Errorf("log:\n%s", log.String())
	}
	server.ResetJournal()
	server.AssertCount(t, "", "", 0)
}
