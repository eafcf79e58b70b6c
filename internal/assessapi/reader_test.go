// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Row 5: a text that is exactly a JSON number or boolean counts as one, and "" as null.
func TestScalarsAsText(t *testing.T) {
	t.Parallel()
	read := func(body string) (Candidate, error) {
		c := newClient(t, newStub(answers(http.StatusOK, `{"candidates":[{"id":"other"},`+body+`]}`)))
		all, _, err := c.FirstResults(t.Context(), "p")
		if err != nil {
			return Candidate{}, err
		}
		return all[1], nil
	}
	for body, want := range map[string]string{
		`{"suitability":"87.5"}`:                                     "87.5",
		`{"suitability":"1e0"}`:                                      "1",
		`{"suitability":{"score":"-3"}}`:                             "-3",
		`{"suitability":""}`:                                         "null",
		`{"suitability":{"score":""}}`:                               "null",
		`{"suitabilityScore":"87.0"}`:                                "87",
		`{"suitability":"0","results":[{"percentile":"77"}]}`:        "0 77",
		`{"suitability":"0","results":[{"percentile":""}]}`:          "0 null",
		`{"suitability":"12","results":[{"percentile":null}]}`:       "12 null",
		`{"suitability":12.0,"results":[{"percentile":99.99}]}`:      "12 99.99",
		`{"suitability":"2","results":[{},{"percentile":"1.50e1"}]}`: "2 null 15",
	} {
		candidate, err := read(body)
		show := func(f *float64) string {
			if f == nil {
				return "null"
			}
			return fmt.Sprint(*f)
		}
		got := show(candidate.Suitability)
		for _, r := range candidate.Results {
			got += " " + show(r.Percentile)
		}
		if err != nil || got != want {
			t.Errorf("%s was read as %s, %v", body, got, err)
		}
	}
	for _, value := range []string{`"high"`, `" 87"`, `"87,5"`, `"087"`, `"NaN"`, `"0x1F"`, `"true"`, `"1 of 2"`, `"[1]"`, `"null"`, `true`, `[]`} {
		_, err := read(`{"name":"Ann Example","suitability":` + value + `}`)
		shape := as[*ShapeError](t, err)
		if !strings.Contains(shape.Problem, `in element 2 of the page, expected the member "suitability" to be a number`) ||
			strings.Contains(shape.Problem, "Ann") || strings.Contains(shape.Problem, strings.Trim(value, `"`)+" ") {
			t.Errorf("%s: %s", value, shape.Problem)
		}
	}
}

// Row 5: marks and numbers of other lists as texts.
func TestBooleansAsText(t *testing.T) {
	t.Parallel()
	for mark, want := range map[string]string{
		`"mandatory":"true"`: "true", `"mandatory":"false"`: "false", `"optional":"false"`: "true", `"optional":"true"`: "false",
		`"mandatory":""`: "null", `"mandatory":"","type":"MANDATORY"`: "true", `"mandatory":"Optional"`: "false",
		`"mandatory":"yes"`: "error", `"mandatory":"True"`: "error", `"mandatory":"1"`: "error", `"optional":"no"`: "error",
		`"mandatory":1`: "error",
	} {
		list, err := newClient(t, newStub(answers(200, `[{"id":"a",`+mark+`}]`))).List(t.Context(), Packages, "asm")
		got := "null"
		switch {
		case err != nil:
			got = "error"
		case list[0].Mandatory != nil:
			got = fmt.Sprint(*list[0].Mandatory)
		}
		if got != want {
			t.Errorf("%s was read as %s (%v), want %s", mark, got, err, want)
		}
	}
	tests, err := newClient(t, newStub(answers(200, `[{"id":"a","active":"true","numberOfQuestions":"12"},`+
		`{"id":"b","active":"","numberOfQuestions":""}]`))).SkillsTests(t.Context(), "asm", false)
	if err != nil || !*tests[0].Active || tests[0].NumberOfQuestions.String() != "12" || *tests[1].Active ||
		tests[1].NumberOfQuestions != nil {
		t.Errorf("%+v %v", tests, err)
	}
}

// Row 6: bytes that are not UTF-8 are in windows-1252, whatever the header says.
func TestWindowsCodePage(t *testing.T) {
	t.Parallel()
	for _, charset := range []string{"", "iso-8859-1", "latin1", "windows-1252", "CP1252", "utf-8", "ISO_8859-1:1987"} {
		body := "[{\"id\":\"a\",\"title\":\"O\x92Brien \x80 \x96 \xe9\x81\"}]"
		network := newStub(answers(200, body, "Content-Type", "application/json; charset="+charset))
		all, err := newClient(t, network).Positions(nil).All(t.Context())
		if err != nil || *all[0].Name != "O\u2019Brien \u20ac \u2013 \u00e9\u0081" {
			t.Errorf("%s: %+q, %v", charset, *all[0].Name, err)
		}
	}
	for name, body := range map[string]string{
		"UTF-16, big endian":    "\xfe\xff\x00[\x00{\x00\"\x00i\x00d\x00\"\x00:\x00\"\x00\xe9\x00\"\x00}\x00]",
		"UTF-16, marked twice":  "\xfe\xff\xfe\xff\x00[\x00{\x00\"\x00i\x00d\x00\"\x00:\x00\"\x00\xe9\x00\"\x00}\x00]",
		"UTF-16, little endian": "\xff\xfe[\x00{\x00\"\x00i\x00d\x00\"\x00:\x00\"\x00\xe9\x00\"\x00}\x00]\x00",
		"UTF-8 with a mark":     "\xef\xbb\xbf[{\"id\":\"\u00e9\"}]",
	} {
		all, err := newClient(t, newStub(answers(200, body))).Positions(nil).All(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != "\u00e9" {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
}

// Row 11: a compressed body is named, at once.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	var zipped, deflated bytes.Buffer
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{gzip.NewWriter(&zipped), zlib.NewWriter(&deflated)} {
		_, _ = w.Write([]byte(`[{"id":"a"}]`))
		_ = w.Close()
	}
	for want, body := range map[string]string{
		"gzip": zipped.String(), "deflate": deflated.String(), "zstd": "\x28\xb5\x2f\xfd\x04\x00", "zip": "PK\x03\x04rest",
	} {
		network := newStub(answers(200, body))
		_, err := newClient(t, network).List(t.Context(), Assessments, "")
		if !strings.Contains(fmt.Sprint(err), "compressed ("+want+")") || len(network.arrivals()) != 1 {
			t.Errorf("%s: %v after %d attempts", want, err, len(network.arrivals()))
		}
	}
}

// Row 12: a PUT that is answered with 200 is done, whatever the body is.
func TestPutAcceptsAnyBody(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"OK", "", "<p>saved</p>", `"done"`, "null", `{"id":`, "\x00"} {
		network := newStub(answers(200, body, "Content-Type", "text/plain"))
		c := newClient(t, network)
		if _, err := c.UpdatePositionAssessment(t.Context(), "p", "pas", "asm", Metadata{}); err != nil {
			t.Errorf("update, %q: %v", body, err)
		}
		if _, err := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{Item: Item{ID: "t"}, listed: []byte("{}")}); err != nil {
			t.Errorf("activation, %q: %v", body, err)
		}
		if err := c.RemovePositionAssessment(t.Context(), "p", "pas"); err != nil || len(network.arrivals()) != 3 {
			t.Errorf("removal, %q: %v", body, err)
		}
	}
}

// Rows 7 to 9 and 22: what a link to a later page becomes.
func TestLinksToLaterPages(t *testing.T) {
	t.Parallel()
	const ours, filter = "fields=title%2Clocale&limit=1000", "&title=A+B"
	for link, want := range map[string]string{
		"?offset=5":                                     "/positions?offset=5&" + ours + filter,
		"?offset=5&limit=10":                            "/positions?offset=5&limit=10&fields=title%2Clocale" + filter,
		"?offset=5&fields=title&title=A%20B":            "/positions?offset=5&fields=title&title=A%20B&limit=1000",
		"/v1/positions?offset=5":                        "/positions?offset=5&" + ours + filter,
		"https://inner:8443/positions?o=1":              "/positions?o=1&" + ours + filter,
		"http://sandbox.assess.invalid/v1/positions?o":  "/positions?o&" + ours + filter,
		"https://10.0.0.7/a/b/v1/positions?o=1&":        "/positions?o=1&" + ours + filter,
		"https://sandbox.assess.invalid/positions?o=1":  "/positions?o=1&" + ours + filter,
		"//inner/positions/?o=1#x":                      "/positions?o=1&" + ours + filter,
		"?cursor=a b":                                   "/positions?cursor=a%20b&" + ours + filter,
		"?cursor=\u00e9\u20ac":                          "/positions?cursor=%C3%A9%E2%82%AC&" + ours + filter,
		"?title=Ing\u00e9nieur donn\u00e9es&cursor=%2F": "/positions?title=Ing%C3%A9nieur%20donn%C3%A9es&cursor=%2F&" + ours,
		"/v1/cursors/7?x=1":                             "/cursors/7?x=1", // not the same route
		"/v1/cursors/a..b/...?x=1":                      "/cursors/a..b/...?x=1",
		"?cursor={\"a\":1}|x^`\\":                       "/positions?cursor=%7B%22a%22:1%7D%7Cx%5E%60%5C&" + ours + filter,
		"?page[offset]=5&q=100%&r=%zz%41":               "/positions?page%5Boffset%5D=5&q=100%25&r=%25zz%41&" + ours + filter,
	} {
		for where, first := range map[string]step{
			"the header": answers(200, `[{"id":"1"}]`, "Link", "<"+link+">; rel=next"),
			"the body":   answers(200, fmt.Sprintf(`{"items":[{"id":"1"}],"_links":[{"rel":"next","href":%q}]}`, link)),
		} {
			network := newStub(first, answers(200, `[{"id":"2"}]`))
			title := "A B"
			all, err := newClient(t, network).Positions(&title).All(t.Context())
			if err != nil || len(all) != 2 || network.addresses()[1] != want {
				t.Errorf("%s in %s: %v, %v, want %s", link, where, network.addresses(), err, want)
			}
		}
	}
}

// Row 7: if a service refuses our parameters beside those of its link, the link is complete.
func TestStrictLinks(t *testing.T) {
	t.Parallel()
	network := newStub(
		answers(200, `[{"id":"1"}]`, "Link", "<?cursor=2>; rel=next"),
		answers(400, "unknown parameter"),
		answers(200, `[{"id":"2"}]`, "Link", "<?cursor=3>; rel=next"),
		answers(200, `[{"id":"3"}]`),
	)
	all, err := newClient(t, network).Positions(nil).All(t.Context())
	const ours = "fields=title%2Clocale&limit=1000"
	want := "/positions?" + ours + " /positions?cursor=2&" + ours + " /positions?cursor=2 /positions?cursor=3"
	if got := strings.Join(network.addresses(), " "); err != nil || len(all) != 3 || got != want {
		t.Errorf("%v, %v, requested %s", all, err, got)
	}
}

// Row 7: a service that loses the filter of candidates does not show other people.
func TestLostFilter(t *testing.T) {
	t.Parallel()
	network := newStub(answers(200, `{"candidates":[{"id":"a"},{"id":"b","name":"Somebody else"}]}`))
	results, err := newClient(t, network).Results(t.Context(), "p", []string{"a"}, nil)
	if err != nil || len(results.Candidates) != 1 || results.Raw != `[{"id":"a"}]` {
		t.Errorf("%+v, %v", results, err)
	}
}

// Row 3: a service that ignores fields returns bare elements, which is noticed once. It needs not
// show the fields of each element.
func TestIgnoredFields(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]int{`[{"id":"1"},{"id":"2","_links":[]}]`: 1, `[{"id":"1"},{"id":"2","title":"T"}]`: 0, `[]`: 0} {
		var notified []string
		c := newClient(t, newStub(answers(200, list)), notices(&notified))
		for range 2 {
			if _, err := c.Positions(nil).All(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(notified) != want {
			t.Errorf("%s: noticed %q", list, notified)
		}
	}
}

// Row 4: only the parameter that is refused is dropped.
func TestOneParameterRefused(t *testing.T) {
	t.Parallel()
	for refused, want := range map[string]string{
		"limit":  "/positions?fields=title%2Clocale&limit=1000 /positions?fields=title%2Clocale /positions?fields=title%2Clocale",
		"fields": "/positions?fields=title%2Clocale&limit=1000 /positions?fields=title%2Clocale /positions?limit=1000 /positions?limit=1000",
	} {
		network := newStub(func(req *http.Request) (*http.Response, error) {
			if req.URL.Query().Has(refused) {
				return answers(400, "")(req)
			}
			return answers(200, `[{"id":"1","title":"One"}]`)(req)
		})
		var notified []string
		c := newClient(t, network, notices(&notified))
		for range 2 {
			if _, err := c.Positions(nil).All(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(network.addresses(), " "); got != want || len(notified) != 1 ||
			!strings.HasPrefix(notified[0], refused+"=") || strings.Contains(notified[0], " and ") {
			t.Errorf("%s: requested %s, noticed %q", refused, got, notified)
		}
	}
}

// Item 2: one request at a time learns what a route refuses, and the others wait for it.
func TestParametersAreLearnedOnce(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "ten at once", func(t *testing.T) {
		network := newStub(func(req *http.Request) (*http.Response, error) {
			return takes(1e9, func(req *http.Request) (*http.Response, error) {
				if req.URL.Query().Has("limit") {
					return answers(400, "")(req)
				}
				return answers(200, `[]`)(req)
			})(req)
		})
		c := newClient(t, network)
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				if _, err := c.List(t.Context(), Packages, fmt.Sprint("asm-", i)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		refused := 0
		for _, address := range network.addresses() {
			if strings.Contains(address, "limit") {
				refused++
			}
		}
		if refused != 1 || len(network.arrivals()) != 11 {
			t.Errorf("%d refused of %d", refused, len(network.arrivals()))
		}
	})
	// A list that the service refuses for another reason costs few requests.
	network := newStub(answers(400, `{"message":"of another kind"}`))
	c := newClient(t, network)
	for i := range 10 {
		if _, err := c.List(t.Context(), Packages, fmt.Sprint("asm-", i)); !IsOtherKind(err) {
			t.Fatal(err)
		}
	}
	if n := len(network.arrivals()); n != 4+9*2 {
		t.Errorf("%d requests", n)
	}
}

// Item 3: no link, redirect or Location leads to another host or outside of the base URL.
func TestNothingToAnotherHost(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://elsewhere.example/other?x=1", "http://sandbox.assess.invalid/other", "https://sandbox.assess.invalid/v10/x",
		"https://sandbox.assess.invalid/", "//elsewhere.example/positions/7", "ftp://sandbox.assess.invalid/v1/positions",
		// Segments that a server may take for a parent folder.
		"https://sandbox.assess.invalid/v1/%2e%2e/admin", "https://sandbox.assess.invalid/v1/..%2fadmin",
		"https://sandbox.assess.invalid/v1/..;x/admin", "https://sandbox.assess.invalid/v1/..%5cadmin",
		"https://sandbox.assess.invalid/v1/%252e%252e/admin", "https://sandbox.assess.invalid/v1/.%2E/positions",
		"https://sandbox.assess.invalid/v1/a/%2e%2e%3bx=1/%2E%2e/admin", "https://inner.example/x/%2e%2e/positions",
		// Other lists.
		"https://sandbox.assess.invalid/v1/assessments", "https://sandbox.assess.invalid/v1/positions/p/results",
		"https://sandbox.assess.invalid/v1/positions/p/assessments?page=2", "https://inner.example/positions/p/assessments",
	} {
		network := newStub(answers(200, `[{"id":"1"}]`, "Link", "<"+address+">; rel=next"))
		_, err := newClient(t, network).Positions(nil).All(t.Context())
		if err == nil {
			t.Errorf("%s was followed: %v", address, network.addresses())
			continue
		}
		shape := as[*ShapeError](t, err)
		names := strings.Contains(shape.Problem, "sandbox.assess.invalid")
		if len(network.arrivals()) != 1 || !names {
			t.Errorf("%s: %v, requested %v", address, err, network.addresses())
		}
		for _, a := range network.arrivals() {
			if !strings.HasPrefix(a.address, sandbox.BaseURL+"/") {
				t.Errorf("sent to %s", a.address)
			}
		}
	}
}

// A link with the end of another route is not a link of the same list.
func TestLinkOfALongerRoute(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://inner.example/v1/positions/p-1/assessments?page=2": false,
		"https://inner.example/positions/p%2F1/assessments?page=2":  false,
		"https://inner.example/tenants/7/assessments?page=2":        true,
		"https://inner.example/assessments?page=2":                  true,
	} {
		network := newStub(answers(200, `[{"id":"1"}]`, "Link", "<"+address+">; rel=next"), answers(200, `[{"id":"2"}]`))
		_, err := newClient(t, network).List(t.Context(), Assessments, "")
		if followed := err == nil && len(network.arrivals()) == 2; followed != want {
			t.Errorf("%s: %v, requested %v", address, err, network.addresses())
		}
	}
}

// Item 3: a redirect is followed only where a link is: below the base URL, or to the same route behind any prefix.
func TestRedirectsStayOnTheRoute(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"/v1/positions/":                         true,
		"/v2/positions?limit=1000":               true, // the base URL lacks something
		"/positions":                             true,
		"/v1/moved/7":                            true,
		"/other/tenant":                          false,
		"/":                                      false,
		"/v1/%2e%2e/admin":                       false,
		"/v1/..%2fadmin":                         false,
		"/v1/assessments":                        false,
		"/v1/positions/p/results":                false,
		"https://elsewhere.example/v1/positions": false,
		"https://a:b@sandbox.assess.invalid/v1/positions": true, // without these credentials
	} {
		network := newStub(answers(302, "", "Location", address), answers(200, `[{"id":"1"}]`))
		_, err := newClient(t, network).Positions(nil).All(t.Context())
		if followed := err == nil && len(network.arrivals()) == 2; followed != want {
			t.Errorf("%s: %v, requested %v", address, err, network.addresses())
		}
		if !want {
			_ = as[*RedirectError](t, err)
		}
	}
}

// A link that keeps one of several values of a filter gets the others back.
func TestLinkWithoutAllValues(t *testing.T) {
	t.Parallel()
	const all = "candidate=a&candidate=b&candidate=c"
	for link, want := range map[string]string{
		"?page=2&candidate=a": "page=2&candidate=a&candidate=b&candidate=c", "?page=2": "page=2&" + all,
		"?page=2&candidate=b": "page=2&candidate=b&candidate=a&candidate=c", "?page=2&" + all: "page=2&" + all,
		"?page=2&candidate=b&limit=5": "page=2&candidate=b&limit=5&candidate=a&candidate=c",
	} {
		network := newStub(answers(200, `[{"id":"a"}]`, "Link", "<"+link+">; rel=next"), answers(200, `[{"id":"b"}]`))
		c := newClient(t, network)
		if _, err := c.Results(t.Context(), "p", []string{"a", "b", "c"}, nil); err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSuffix(strings.TrimPrefix(network.addresses()[1], "/positions/p/results?"), "&limit=1000")
		if got != want {
			t.Errorf("%s: requested %s, want %s", link, got, want)
		}
	}
}

// A whole number is an id in digits, however a service writes it.
func TestNumbersAsIDs(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`"7001"`: "7001", "7001": "7001", "7001.0": "7001", "7.001e3": "7001", "7.001E+3": "7001",
		"12345678901234567890123": "12345678901234567890123", "1.2345678901234567890123e22": "12345678901234567890123",
		"7001.5": "7001.5", "1e400": "1e400", `"7001.0"`: "7001.0",
	} {
		network := newStub(answers(200, `[{"id":`+written+`,"title":"T"}]`))
		all, err := newClient(t, network).Positions(nil).All(t.Context())
		if err != nil || len(all) != 1 || all[0].ID != want {
			t.Errorf("%s: %v, %v, want %s", written, all, err, want)
		}
	}
}

// The routes that tell lists from each other are those of the contract.
func TestTemplatesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile(filepath.Join("..", "..", "api", "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(`\{[^}]*\}`)
	var want, got []string
	for _, line := range regexp.MustCompile(`(?m)^  (/.*):$`).FindAllStringSubmatch(string(contract), -1) {
		want = append(want, ids.ReplaceAllString(line[1], "{}"))
	}
	for _, template := range templates {
		got = append(got, ids.ReplaceAllString(template, "{}"))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("the routes are %q, want %q", got, want)
	}
}
