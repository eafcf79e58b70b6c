// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestSkillsTestsDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	service.Change(t, func(st *sandbox.State) {
		st.Assessment("asm-workbench").SkillsTests = []sandbox.SkillsTest{
			sandboxtest.SkillsTest(t,
				`{"id": "skt-off", "title": "Go", "description": "Interfaces & <errors>", "category": "Software",
					"timeToComplete": "40 minutes", "numberOfQuestions": 24.0, "active": false}`),
			sandboxtest.SkillsTest(t,
				`{"id": "skt-on", "title": "日本語", "description": "", "category": "Languages",
					"timeToComplete": "5 minutes", "numberOfQuestions": 123456789012345678901, "active": true, "level": 1.50}`),
			sandboxtest.SkillsTest(t, `{"id": "skt-bare", "active": true}`),
		}
	})
	off := knownvalue.ObjectExact(attributes{
		"id": text("skt-off"), "title": text("Go"), "description": text("Interfaces & <errors>"),
		"category":         text("Software"),
		"time_to_complete": text("40 minutes"), "number_of_questions": knownvalue.NumberExact(big.NewFloat(24)),
		"active": knownvalue.Bool(false), "extra_json": knownvalue.Null(),
	})
	huge, _, err := big.ParseFloat("123456789012345678901", 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	on := knownvalue.ObjectExact(attributes{
		"id": text("skt-on"), "title": text("日本語"), "description": text(""), "category": text("Languages"),
		"time_to_complete": text("5 minutes"), "number_of_questions": knownvalue.NumberExact(huge),
		"active": knownvalue.Bool(true), "extra_json": text(`{"level":1.50}`),
	})
	bare := knownvalue.ObjectExact(attributes{
		"id": text("skt-bare"), "title": knownvalue.Null(), "description": knownvalue.Null(),
		"category":         knownvalue.Null(),
		"time_to_complete": knownvalue.Null(), "number_of_questions": knownvalue.Null(),
		"active": knownvalue.Bool(true), "extra_json": knownvalue.Null(),
	})
	reads(t, service,
		having("data.assess_skills_tests.all", attributes{
			"tests": list(on, bare, off),
			"ids":   list(text("skt-on"), text("skt-bare"), text("skt-off")),
		}),
		having("data.assess_skills_tests.enabled",
			attributes{"tests": list(on, bare), "ids": list(text("skt-on"), text("skt-bare"))}),
		having("data.assess_skills_tests.disabled", attributes{"tests": list(off), "ids": list(text("skt-off"))}),
		having("data.assess_skills_tests.elsewhere", attributes{"tests": list(), "ids": list()}),
	)
	assertRoutes(t, service, sandbox.RouteSkillsTests)
}

// Without the argument active, both lists are read, otherwise one of them. Each list is
// read once in a run, for any number of data sources.
func TestSkillsTestsDataSourceActive(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	for step, want := range map[string][]string{
		"both":     {"false", "true"},
		"enabled":  {"true"},
		"disabled": {"false"},
		"all":      {"false", "true"},
	} {
		var lists []string
		for _, sent := range requestsOfPlan(t, service, step) {
			lists = append(lists, sent.Query.Get("active"))
		}
		slices.Sort(lists)
		if !slices.Equal(lists, want) {
			t.Errorf("%s: the lists read are active=%v, want %v", step, lists, want)
		}
	}
}

// Thousands of tests are read completely and in order, with one request for each page.
func TestSkillsTestsDataSourceReadsThousands(t *testing.T) {
	t.Parallel()
	const many = 5000
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	service.Change(t, func(st *sandbox.State) {
		tests := make([]sandbox.SkillsTest, many)
		for i := range tests {
			tests[i] = sandboxtest.SkillsTest(t,
				fmt.Sprintf(`{"id": "skt-%04d", "title": "Test %d", "numberOfQuestions": %d, "active": true}`, many-i,
					i, i))
		}
		st.Assessment("asm-workbench").SkillsTests = tests
	})
	c := unthrottled(t, service, "1")
	c.apply().ok()
	service.AssertCount(t, "", "", many/1000)

	tests, _ := c.resource("data.assess_skills_tests.enabled")["tests"].([]any)
	if len(tests) != many {
		t.Fatalf("got %d tests, want %d", len(tests), many)
	}
	for i, test := range tests {
		members, _ := test.(map[string]any)
		if id, title := fmt.Sprintf("skt-%04d", many-i), fmt.Sprintf("Test %d", i); members["id"] != id ||
			members["title"] != title {
			t.Fatalf("test %d is %v (%v), want %s (%s)", i, members["id"], members["title"], id, title)
		}
	}
}
