// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// marked is a service that names a different person in every string of its answers, in
// each object, and in members that the provider does not model. The only strings without
// a person are those that strict mode keeps (see kept).
type marked struct {
	service *sandboxtest.Server
	URL     string

	mu     sync.Mutex
	people map[string]string // the number of each person, by the place of the string
	listed map[string]string // each skills test as the service has sent it, by ID
}

// Every marked string contains a person, and every marked number begins with score.
const (
	person = "mxprsn"
	score  = "57.731"
)

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

// mark puts a marked service before a service.
func mark(t *testing.T, service *sandboxtest.Server) *marked {
	t.Helper()
	m := &marked{service: service, people: map[string]string{}, listed: map[string]string{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.URL = server.URL + strings.TrimPrefix(service.URL, strings.TrimSuffix(service.URL, "/v1"))
	return m
}

// of returns the person of one string, always the same for one place.
func (m *marked) of(place string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.people[place] == "" {
		m.people[place] = fmt.Sprintf("%04d", len(m.people)+1)
	}
	return m.people[place]
}

// hasSentPeople fails the test if the service has sent only a few marked strings.
func (m *marked) hasSentPeople(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.people); n < 200 {
		t.Errorf("the service has sent only %d marked strings", n)
	}
}

func (m *marked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	query.Del("who")
	r.URL.RawQuery = query.Encode()
	route := sandbox.RouteOf(r.URL.EscapedPath())
	if r.Method == http.MethodPut && route == sandbox.RouteSkillsTest { // the service accepts only what it has listed
		m.mu.Lock()
		body := strings.Replace(m.listed[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]], `"active":false`, `"active":true`, 1)
		m.mu.Unlock()
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
	recorded := httptest.NewRecorder()
	m.service.ServeHTTP(recorded, r)
	body := recorded.Body.Bytes()
	place := r.URL.RequestURI()
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if recorded.Code < 300 && decoder.Decode(&value) == nil {
		body, _ = json.Marshal(m.mark(value, route, place, ""))
	}
	for name, values := range recorded.Header() {
		w.Header()[name] = values
	}
	if recorded.Code < 300 {
		if w.Header().Get("Conversation-Id") != "" { // some services have none, on any answer
			w.Header().Set("Conversation-Id", person+m.of(place+" conversation"))
		}
		w.Header().Set("X-Author", person+m.of(place+" header"))
		if link := w.Header().Get("Link"); link != "" {
			w.Header().Set("Link", strings.ReplaceAll(link, ">;", "&who="+person+m.of(place+" link")+">;"))
		}
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(body)
}

// mark marks all strings of a value. path is the path of the members from the element of
// a list, such as "metadata.profileUrl".
func (m *marked) mark(value any, route, place, path string) any {
	switch v := value.(type) {
	case map[string]any:
		id, isElement := v["id"].(string)
		if isElement && route == sandbox.RouteSkillsTests {
			text, _ := json.Marshal(v)
			m.mu.Lock()
			m.listed[id] = string(text)
			m.mu.Unlock()
		}
		for name, member := range v {
			inner := strings.TrimPrefix(path+"."+name, ".")
			if _, isList := member.([]any); isList && !isElement && path == "" && route != sandbox.RouteResults {
				inner = "" // the object only contains the list
			}
			v[name] = m.mark(member, route, place+"/"+name, inner)
		}
		v["author"] = person + m.of(place+"/author")
		v["reviewer"] = map[string]any{"name": person + m.of(place+"/reviewer"), "mail " + person + m.of(place+"/mail"): nil}
		return v
	case []any:
		for i, element := range v {
			v[i] = m.mark(element, route, fmt.Sprintf("%s/%d", place, i), path)
		}
		return v
	case string:
		return m.markString(v, route, place, path)
	case json.Number:
		if route == sandbox.RouteResults {
			return json.Number(score + m.of(place))
		}
	}
	return value
}

func (m *marked) markString(s, route, place, path string) string {
	last := path[strings.LastIndex(path, ".")+1:]
	was := path
	if route == sandbox.RouteResults {
		was = last
	}
	if slices.Contains(kept(route), was) || last == "rel" {
		return s
	}
	name := person + m.of(place)
	switch {
	case last == "href" && strings.Contains(s, "?"): // a page of a list
		return s + "&who=" + name
	case last == "href":
		return strings.Replace(s, "://", "://"+name+"@", 1) + "?sig=" + name + "#" + name
	case strings.HasPrefix(s, "http"):
		return s + "/" + name
	}
	return name
}

// marks finds every person and score in a text, also if the text or a part of it is encoded as
// base64, as the private state is.
var marks = regexp.MustCompile(person + `\d+|` + regexp.QuoteMeta(score) + `\d+|` + strings.Join(base64Of(person), "|"))

// base64Of returns the parts of the base64 form of a text that do not depend on what is
// before and after it.
func base64Of(text string) (forms []string) {
	for before := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + text))
		skip, cut := (before*8+5)/6, len(text)+before
		forms = append(forms, regexp.QuoteMeta(encoded[skip:cut*8/6]))
	}
	return forms
}

func TestMarksAreFound(t *testing.T) {
	t.Parallel()
	for before := range 3 {
		text := strings.Repeat("a", before) + person + "0042 and more"
		for _, form := range []string{text, base64.StdEncoding.EncodeToString([]byte(text)), url.QueryEscape(text)} {
			if !marks.MatchString(form) {
				t.Errorf("%q is not found", form)
			}
		}
	}
	if marks.MatchString("a person, and a number 57.73") {
		t.Error("found a mark in a text without one")
	}
}
