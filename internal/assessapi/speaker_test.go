// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// What something in front of the service answers to a POST is no creation, also with an ID. The request is not
// sent again.
func TestForeignCreation(t *testing.T) {
	t.Parallel()
	const whole = `{"id":"pas-1","organizationAssessment":"asm-1","metadata":{"benchmark":"bmk-1"}}`
	for name, row := range map[string]struct {
		answer step
		isOwn  bool
	}{
		"a queue":            {gateway(202, `{"id":"request-17","status":"queued"}`), false},
		"a Location":         {gateway(201, "", "Location", "/v1/positions/p/assessments/pas-9"), false},
		"a self link":        {gateway(200, `{"_links":[{"rel":"self","href":"/jobs/17"}]}`), false},
		"an assessment":      {gateway(201, `{"id":"pas-1","organizationAssessment":"asm-1"}`), false},
		"other metadata":     {gateway(201, strings.Replace(whole, `"benchmark":"bmk-1"`, "", 1)), false},
		"another assessment": {gateway(201, strings.Replace(whole, "asm-1", "asm-2", 1)), false},
		"what was sent":      {gateway(201, whole), true},
		"signed":             {answers(202, `{"id":"pas-1"}`), true},
	} {
		c, network := answering(t, []step{row.answer})
		pa, err := c.PositionAssessments().Create(t.Context(), "p", PositionAssessment{
			AssessmentID: "asm-1", Metadata: Metadata{Benchmark: new("bmk-1")},
		})
		if isOwn := err == nil; isOwn != row.isOwn || isOwn && pa.ID != "pas-1" || !isOwn && !isLost(err) {
			t.Errorf("%s: the result is %+v, %v", name, pa, err)
		}
		if n := len(network.arrivals()); n != 2 {
			t.Errorf("%s: %d requests, want 2", name, n)
		}
	}
}

// A list that something in front of the service answers is requested once more, and is an error after that: it could
// lack everything without a word.
func TestForeignList(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(*Client) error{
		"positions":            func(c *Client) error { _, err := c.Positions(nil).All(t.Context()); return err },
		"a page":               func(c *Client) error { _, err := c.Positions(nil).Next(t.Context()); return err },
		"skills tests":         func(c *Client) error { _, err := c.SkillsTests("asm-1", true).All(t.Context()); return err },
		"results":              func(c *Client) error { _, err := c.Results(t.Context(), "p", nil, nil); return err },
		"position assessments": func(c *Client) error { _, err := c.PositionAssessments().List(t.Context(), "p"); return err },
	} {
		for _, body := range []string{"[]", `{"errors":[]}`, `{"errors":[{"id":"17","detail":"down"}]}`} {
			c, _ := answering(t, []step{gateway(200, body)})
			if err := list(c); !errors.Is(err, ErrForeign) {
				t.Errorf("%s, %s: %v", name, body, err)
			}
			c, _ = answering(t, []step{gateway(200, body), answers(200, "[]")})
			if err := list(c); err != nil {
				t.Errorf("%s, %s: the second answer is that of the service: %v", name, body, err)
			}
		}
	}
}

// A web page that shows no text, such as one that runs a script, ends a message without a colon that nothing follows.
func TestPageWithoutText(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"<html></html>", "<h1>200 OK</h1>", "<script>location='/login'</script>"} {
		sandboxtest.Virtual(t, body, func(t *testing.T) {
			c := newClient(t, newStub(gateway(http.StatusOK, body)))
			removed := c.PositionAssessments().Remove(t.Context(), "pos", "pas")
			_, read := c.List(t.Context(), Assessments, "")
			for _, err := range []error{removed, read} {
				if err == nil || strings.HasSuffix(strings.TrimSpace(err.Error()), ":") {
					t.Errorf("%v", err)
				}
			}
		})
	}
}
