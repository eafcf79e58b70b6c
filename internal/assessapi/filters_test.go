// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// filtersRefused answers 400 if a request has one of the parameters.
func filtersRefused(body string, parameters ...string) step {
	return func(req *http.Request) (*http.Response, error) {
		for _, name := range parameters {
			if req.URL.Query().Has(name) {
				return answers(http.StatusBadRequest, `{"message":"unknown parameter `+name+`"}`)(req)
			}
		}
		return answers(http.StatusOK, body)(req)
	}
}

const (
	somePositions  = `[{"id":"1","title":"One"},{"id":"2","title":"Two"},{"id":"3","title":"One and more"}]`
	someTests      = `[{"id":"1","active":true},{"id":"2","active":"false"},{"id":"3","active":false}]`
	someCandidates = `{"candidates":[
		{"id":"a","suitability":80,"results":[{"assessment":"x","percentile":1},{"assessment":"y","percentile":2}]},
		{"id":"b","suitability":70,"results":[{"assessment":"x","percentile":3}]}]}`
)

// Item 2: a filter that the service refuses is dropped once, with one warning, and the provider applies it.
func TestRefusedFilters(t *testing.T) {
	t.Parallel()
	one := "One"
	for name, row := range map[string]struct {
		body    string
		refused []string
		read    func(*testing.T, *Client) (string, error)
		want    string
		notice  string
	}{
		"title": {somePositions, []string{"title"}, func(t *testing.T, c *Client) (string, error) {
			all, err := c.Positions(&one).All(t.Context())
			return fmt.Sprint(ids(all, func(p Item) string { return p.ID })), err
		}, "[1]", "title"},
		"title and limit": {somePositions, []string{"title", "limit"}, func(t *testing.T, c *Client) (string, error) {
			all, err := c.Positions(&one).All(t.Context())
			return fmt.Sprint(ids(all, func(p Item) string { return p.ID })), err
		}, "[1]", "limit=1000 and title"},
		"active": {someTests, []string{"active"}, func(t *testing.T, c *Client) (string, error) {
			all, err := c.SkillsTests(t.Context(), "asm", false)
			return fmt.Sprint(ids(all, func(test SkillsTest) string { return test.ID })), err
		}, "[2 3]", "active"},
		"candidate": {someCandidates, []string{"candidate"}, func(t *testing.T, c *Client) (string, error) {
			all, err := c.Results(t.Context(), "p", []string{"b"}, nil)
			return shownResults(all), err
		}, "b 70 x;", "candidate"},
		"assessment": {someCandidates, []string{"assessment"}, func(t *testing.T, c *Client) (string, error) {
			all, err := c.Results(t.Context(), "p", nil, []string{"x"})
			return shownResults(all), err
		}, "a null x;b 70 x;", "assessment"},
		"both": {someCandidates, []string{"assessment", "candidate"}, func(t *testing.T, c *Client) (string, error) {
			all, err := c.Results(t.Context(), "p", []string{"a"}, []string{"y"})
			return shownResults(all), err
		}, "a null y;", "assessment and candidate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := newStub(filtersRefused(row.body, row.refused...))
			var notified []string
			c := newClient(t, network, notices(&notified))
			learned := 0
			for i := range 2 {
				if got, err := row.read(t, c); err != nil || got != row.want {
					t.Errorf("%s, %v, want %s", got, err, row.want)
				}
				if i == 0 {
					learned = len(network.arrivals())
				}
			}
			if n := len(network.arrivals()); n != learned+1 {
				t.Errorf("requested %v", network.addresses())
			}
			if len(notified) != 1 || !strings.HasPrefix(notified[0], row.notice+": ") {
				t.Errorf("noticed %q", notified)
			}
		})
	}
}

func ids[T any](all []T, id func(T) string) (list []string) {
	for _, one := range all {
		list = append(list, id(one))
	}
	return list
}

func shownResults(all Results) (text string) {
	for _, c := range all.Candidates {
		suitability := "null"
		if c.Suitability != nil {
			suitability = fmt.Sprint(*c.Suitability)
		}
		text += c.ID + " " + suitability
		for _, r := range c.Results {
			text += " " + r.AssessmentID
		}
		text += ";"
	}
	return text
}

// A filter that the service ignores is applied by the provider as well, in all that it returns. A score that counts
// other assessments is not known.
func TestIgnoredFilters(t *testing.T) {
	t.Parallel()
	var notified []string
	c := newClient(t, newStub(answers(http.StatusOK, someCandidates)), notices(&notified))
	for range 2 {
		results, err := c.Results(t.Context(), "p", nil, []string{"x"})
		want := `[{"id":"a","results":[{"assessment":"x","percentile":1}],"suitability":null},` +
			`{"id":"b","suitability":70,"results":[{"assessment":"x","percentile":3}]}]`
		if err != nil || shownResults(results) != "a null x;b 70 x;" || results.Raw != want {
			t.Errorf("%s, %s, %v", shownResults(results), results.Raw, err)
		}
	}
	if len(notified) != 1 || !strings.HasPrefix(notified[0], "assessment: "+ErrIgnored.Error()) {
		t.Errorf("noticed %q", notified)
	}
}

// What the provider cannot read it cannot compare, so it fails instead of leaving something out.
func TestFiltersOnHiddenMembers(t *testing.T) {
	t.Parallel()
	one := "One"
	for name, row := range map[string]struct {
		body    string
		refused []string
		read    func(*testing.T, *Client) error
	}{
		"title": {`[{"id":"1","title":"One"},{"id":"2"}]`, []string{"title"}, func(t *testing.T, c *Client) error {
			_, err := c.Positions(&one).All(t.Context())
			return err
		}},
		"title and fields": {`[{"id":"1"}]`, []string{"title", "fields"}, func(t *testing.T, c *Client) error {
			_, err := c.Positions(&one).All(t.Context())
			return err
		}},
		"active": {`[{"id":"1","title":"T"}]`, []string{"active"}, func(t *testing.T, c *Client) error {
			_, err := c.SkillsTests(t.Context(), "asm", true)
			return err
		}},
		"candidate": {`{"candidates":[{"name":"N"}]}`, []string{"candidate"}, func(t *testing.T, c *Client) error {
			_, err := c.Results(t.Context(), "p", []string{"a"}, nil)
			return err
		}},
		"assessment": {`{"candidates":[{"id":"a","results":[{}]}]}`, []string{"assessment"}, func(t *testing.T, c *Client) error {
			_, err := c.Results(t.Context(), "p", nil, []string{"x"})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := row.read(t, newClient(t, newStub(filtersRefused(row.body, row.refused...))))
			filter, _, _ := strings.Cut(name, " ")
			if shape := as[*ShapeError](t, err); !strings.Contains(shape.Problem, "the filter `"+filter+"`") {
				t.Errorf("the problem is %q", shape.Problem)
			}
		})
	}
}

// A 400 may be about the value of a filter. If nothing has that value, the 400 is the answer.
func TestRefusedValues(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*Client) (Results, error){
		"candidate":  func(c *Client) (Results, error) { return c.Results(t.Context(), "p", []string{"unknown"}, nil) },
		"assessment": func(c *Client) (Results, error) { return c.Results(t.Context(), "p", nil, []string{"unknown"}) },
	} {
		c := newClient(t, newStub(filtersRefused(someCandidates, name)))
		_, err := read(c)
		var refused *Error
		if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A filter that was accepted is never dropped, whatever the service refuses later.
func TestAcceptedFilterIsKept(t *testing.T) {
	t.Parallel()
	refused := answers(http.StatusBadRequest, `{"message":"a strange title"}`)
	network := newStub(answers(http.StatusOK, somePositions), refused)
	c, title := newClient(t, network), "One"
	if _, err := c.Positions(&title).All(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := c.Positions(&title).All(t.Context())
	if !isBadRequest(err) || len(network.arrivals()) != 2 {
		t.Errorf("%v, requested %v", err, network.addresses())
	}
}
