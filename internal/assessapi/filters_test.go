// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const (
	somePositions  = `[{"id":"1","title":"One"},{"id":"2","title":"Two"},{"id":"3","title":"One and more"}]`
	someTests      = `[{"id":"1","active":true},{"id":"2","active":"false"},{"id":"3","active":false}]`
	someCandidates = `{"candidates":[
		{"id":"a","suitability":80,"results":[{"assessment":"x","percentile":1},{"assessment":"y","percentile":2}]},
		{"id":"b","suitability":70,"results":[{"assessment":"x","percentile":3}]}]}`
)

// filtered reads a list with filters, and returns what it shows.
var filtered = map[string]func(context.Context, *Client) (string, error){
	"title": func(ctx context.Context, c *Client) (string, error) {
		all, err := c.Positions(new("One")).All(ctx)
		return idsOf(all), err
	},
	"active": func(ctx context.Context, c *Client) (string, error) {
		all, err := c.SkillsTests("asm", false).All(ctx)
		return idsOf(all), err
	},
	"candidate":                resultsOf([]string{"b"}, nil),
	"assessment":               resultsOf(nil, []string{"x"}),
	"candidate and assessment": resultsOf([]string{"a"}, []string{"y"}),
}

func resultsOf(candidates, assessments []string) func(context.Context, *Client) (string, error) {
	return func(ctx context.Context, c *Client) (string, error) {
		all, err := c.Results(ctx, "p", candidates, assessments)
		return shownResults(all), err
	}
}

// A filter that the service refuses is dropped once, with one warning, and the provider applies it.
func TestRefusedFilters(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ filters, refused, body, want, notice string }{
		{"title", "title", somePositions, "1", "title"},
		{"title", "title limit", somePositions, "1", "limit=1000 and title"},
		{"active", "active", someTests, "23", "active"},
		{"candidate", "candidate", someCandidates, "b 70 x;", "candidate"},
		{"assessment", "assessment", someCandidates, "a null x;b 70 x;", "assessment"},
		{
			"candidate and assessment", "assessment candidate", someCandidates, "a null y;", "assessment and candidate",
		},
	} {
		network := newStub(refusing(row.body, strings.Fields(row.refused)...))
		var notified []string
		c := newClient(t, network, notices(&notified))
		first, err := filtered[row.filters](t.Context(), c)
		learned := len(network.arrivals())
		second, again := filtered[row.filters](t.Context(), c)
		if err != nil || again != nil || first != row.want || second != row.want {
			t.Errorf("%s: %s, %v, then %s, %v, want %s", row.refused, first, err, second, again, row.want)
		}
		if n := len(network.arrivals()); n != learned+1 {
			t.Errorf("%s: requested %v", row.refused, network.addresses())
		}
		if len(notified) != 1 || !strings.HasPrefix(notified[0], row.notice+": ") {
			t.Errorf("%s: noticed %q", row.refused, notified)
		}
	}
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
	other, err := c.Results(t.Context(), "p", []string{"b"}, nil)
	if err != nil || shownResults(other) != "b 70 x;" || !strings.HasPrefix(other.Raw, `[{"id":"b"`) {
		t.Errorf("candidates: %s, %s, %v", shownResults(other), other.Raw, err)
	}
}

// What the provider cannot read it cannot compare, so it fails instead of leaving something out.
func TestFiltersOnHiddenMembers(t *testing.T) {
	t.Parallel()
	for body, refused := range map[string]string{
		`[{"id":"1","title":"One"},{"id":"2"}]`:      "title",
		`[{"id":"1"}]`:                               "title fields",
		`[{"id":"1","title":"T"}]`:                   "active",
		`{"candidates":[{"name":"N"}]}`:              "candidate",
		`{"candidates":[{"id":"a","results":[{}]}]}`: "assessment",
	} {
		filter, _, _ := strings.Cut(refused, " ")
		_, err := filtered[filter](t.Context(), newClient(t, newStub(refusing(body, strings.Fields(refused)...))))
		if shape := as[*ShapeError](t, err); !strings.Contains(shape.Problem, "the filter `"+filter+"`") {
			t.Errorf("%s: the problem is %q", refused, shape.Problem)
		}
	}
}

// A 400 may be about the value of a filter. If nothing has that value, the 400 is the answer.
func TestRefusedValues(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(context.Context, *Client) (string, error){
		"candidate": resultsOf([]string{"unknown"}, nil), "assessment": resultsOf(nil, []string{"unknown"}),
	} {
		_, err := read(t.Context(), newClient(t, newStub(refusing(someCandidates, name))))
		if as[*Error](t, err).Status != http.StatusBadRequest {
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
	if !says(err, http.StatusBadRequest) || len(network.arrivals()) != 2 {
		t.Errorf("%v, requested %v", err, network.addresses())
	}
}
