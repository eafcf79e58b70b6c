// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"net/http"
	"testing"
)

// signing returns a client of a service that signs its answers, before a script of what comes next.
func signing(t *testing.T, steps ...step) (*Client, *stub) {
	t.Helper()
	network := newStub(append([]step{answers(http.StatusOK, "[]")}, steps...)...)
	c := newClient(t, network)
	if _, err := c.List(t.Context(), Assessments, ""); err != nil {
		t.Fatal(err)
	}
	return c, network
}

// What something in front of the service answers to a POST is no creation, also with an ID. The request is not
// sent again.
func TestForeignCreation(t *testing.T) {
	t.Parallel()
	benchmark := "bmk-1"
	m := Metadata{Benchmark: &benchmark}
	for name, row := range map[string]struct {
		answer step
		isOwn  bool
	}{
		"a queue":            {answer: gateway(202, `{"id":"request-17","status":"queued"}`)},
		"a Location":         {answer: gateway(201, "", "Location", "/v1/positions/p/assessments/pas-9")},
		"a self link":        {answer: gateway(200, `{"_links":[{"rel":"self","href":"/jobs/17"}]}`)},
		"an assessment":      {answer: gateway(201, `{"id":"pas-1","organizationAssessment":"asm-1"}`)},
		"other metadata":     {answer: gateway(201, `{"id":"pas-1","organizationAssessment":"asm-1","metadata":{}}`)},
		"another assessment": {answer: gateway(201, `{"id":"pas-1","organizationAssessment":"asm-2","metadata":{"benchmark":"bmk-1"}}`)},
		"what was sent": {
			answer: gateway(201, `{"id":"pas-1","organizationAssessment":"asm-1","metadata":{"benchmark":"bmk-1"}}`), isOwn: true,
		},
		"signed": {answer: answers(202, `{"id":"pas-1"}`), isOwn: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, network := signing(t, row.answer)
			pa, err := c.AddAssessment(t.Context(), "p", "asm-1", m)
			if isOwn := err == nil; isOwn != row.isOwn || isOwn && pa.ID != "pas-1" {
				t.Errorf("the result is %+v, %v", pa, err)
			}
			if err != nil {
				_ = as[*LostError](t, err)
			}
			if n := len(network.arrivals()); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
		})
	}
}

// A list that something in front of the service answers is requested once more, and is an error after that: it could
// lack everything without a word.
func TestForeignList(t *testing.T) {
	t.Parallel()
	lists := map[string]func(context.Context, *Client) (int, error){
		"positions": func(ctx context.Context, c *Client) (int, error) {
			all, err := c.Positions(nil).All(ctx)
			return len(all), err
		},
		"a page": func(ctx context.Context, c *Client) (int, error) {
			all, err := c.Positions(nil).Next(ctx)
			return len(all), err
		},
		"skills tests": func(ctx context.Context, c *Client) (int, error) {
			all, err := c.SkillsTests(ctx, "asm-1", true)
			return len(all), err
		},
		"results": func(ctx context.Context, c *Client) (int, error) {
			all, err := c.Results(ctx, "p", nil, nil)
			return len(all.Candidates), err
		},
		"position assessments": func(ctx context.Context, c *Client) (int, error) {
			all, err := c.PositionAssessments(ctx, "p")
			return len(all), err
		},
	}
	for name, list := range lists {
		for body, foreign := range map[string]step{
			"empty":    gateway(200, "[]"),
			"envelope": gateway(200, `{"errors":[]}`),
			"elements": gateway(200, `{"errors":[{"id":"17","detail":"down"}]}`),
		} {
			t.Run(name+"/"+body, func(t *testing.T) {
				t.Parallel()
				c, _ := signing(t, foreign)
				if n, err := list(t.Context(), c); !errors.Is(err, ErrForeign) {
					t.Errorf("%d elements, %v", n, err)
				}
				c, _ = signing(t, foreign, answers(200, "[]"))
				if _, err := list(t.Context(), c); err != nil {
					t.Errorf("the second answer is that of the service: %v", err)
				}
			})
		}
	}
}
