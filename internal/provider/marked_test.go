// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// marked is a service that names a person in every string of its responses, in each object, and in members that the
// provider does not model. The only strings without a person are those that strict mode keeps (see kept).
type marked struct {
	service *sandboxtest.Server
	sent    atomic.Int64 // how many strings had a person
	tests   sync.Map     // each skills test as the service has sent it, by ID
}

// Every marked string contains a person, and every marked number begins with score, which has more digits than the times
// in a log.
const (
	person = "mxprsn"
	score  = "57.7312468"
)

// newMarkedCLI makes a working directory for a marked service.
func newMarkedCLI(t *testing.T, privacy string) (*clitest.CLI, *marked) {
	t.Helper()
	m := &marked{service: unlimited(t)}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	c := clitest.New(t, &sandboxtest.Server{URL: server.URL + "/v1"})
	return c.With("ASSESS_UNTHROTTLED=1", "ASSESS_PRIVACY="+privacy), m
}

// kept are the members that strict mode keeps. The privacy guide lists them.
func kept(route string) []string {
	switch list := strings.TrimSuffix(route, "/{id}"); list {
	case sandbox.RoutePositionAssessments:
		return []string{
			"id", "organizationAssessment", "metadata.packages", "metadata.benchmark", "metadata.profile", "metadata.tests",
			"metadata.profileStatus",
		}
	case sandbox.RouteResults:
		return []string{"assessment"}
	default:
		return append(strings.Split(sandbox.FieldsOf(list), ","), "id")
	}
}

func (m *marked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	query.Del("who")
	r.URL.RawQuery = query.Encode()
	route := sandbox.RouteOf(r.URL.EscapedPath())
	if r.Method == http.MethodPut && route == sandbox.RouteSkillsTest { // the service accepts only what it has itself
		test, _ := m.tests.Load(path.Base(r.URL.Path))
		body := strings.Replace(fmt.Sprintf("%s", test), `"active":false`, `"active":true`, 1)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
	recorded := httptest.NewRecorder()
	m.service.ServeHTTP(recorded, r)
	body, header := recorded.Body.Bytes(), w.Header()
	for name, values := range recorded.Header() {
		header[name] = values
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if recorded.Code < 300 && decoder.Decode(&value) == nil {
		body, _ = json.Marshal(m.mark(value, route, ""))
		header.Set("Conversation-Id", person)
		header.Set("X-Author", person)
		if link := header.Get("Link"); link != "" {
			header.Set("Link", strings.ReplaceAll(link, ">;", "&who="+person+">;"))
		}
	}
	header.Del("Content-Length")
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(body)
}

// mark marks all strings of a value. at is the path of the members from the element of a list, such as
// "metadata.profileUrl".
func (m *marked) mark(value any, route, at string) any {
	switch v := value.(type) {
	case map[string]any:
		id, isElement := v["id"]
		if isElement && route == sandbox.RouteSkillsTests {
			text, _ := json.Marshal(v) // it was JSON
			m.tests.Store(id, text)
		}
		for name, member := range v {
			inner := strings.TrimPrefix(at+"."+name, ".")
			if _, isList := member.([]any); isList && !isElement && at == "" && route != sandbox.RouteResults {
				inner = "" // the object only contains the list
			}
			v[name] = m.mark(member, route, inner)
		}
		v["author"] = person
		v["reviewer"] = map[string]any{"name": person, "mail " + person: nil}
		return v
	case []any:
		for i, element := range v {
			v[i] = m.mark(element, route, at)
		}
		return v
	case string:
		return m.markString(v, route, at)
	case json.Number:
		if route == sandbox.RouteResults {
			return json.Number(score + "1")
		}
	}
	return value
}

func (m *marked) markString(s, route, at string) string {
	last := at[strings.LastIndex(at, ".")+1:]
	if route == sandbox.RouteResults {
		at = last
	}
	if slices.Contains(kept(route), at) || last == "rel" {
		return s
	}
	m.sent.Add(1)
	switch {
	case last == "href" && strings.Contains(s, "?"): // a page of a list
		return s + "&who=" + person
	case last == "href":
		return strings.Replace(s, "://", "://"+person+"@", 1) + "?sig=" + person + "#" + person
	case strings.HasPrefix(s, "http"):
		return s + "/" + person
	}
	return s + person
}
