// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// decomposed is a name that a service stores with accents as characters of their own. The CLI sends it as "Été".
const decomposed = "E\u0301te\u0301"

// An item is found by each of its keys, whatever the form of its accents. What the provider does not model is in
// extra_json, sorted and with the original spelling of numbers. The acceptance tests find the other kinds of items.
func TestFinds(t *testing.T) {
	t.Parallel()
	more, err := sandbox.ParseObject([]byte(`{"zone": "北", "rank": 1.50, "tags": ["b", "a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	begin(t, func(w *session) {
		w.service.Change(func(st *sandbox.State) {
			facet, test := st.Assessment("asm-facet"), st.Assessment("asm-workbench").SkillsTest("skt-go")
			facet.Name, facet.Code, facet.Extra = decomposed, "E\u0301TE\u0301", more
			test.Set("numberOfQuestions", json.Number("123456789012345678901"))
			test.Set("level", 3)
		})
		for _, key := range []fields{{"id": "asm-facet"}, {"code": "ÉTÉ"}, {"name": "Été"}} {
			w.shows("assessment", key, map[string]string{
				"id": `"asm-facet"`, "code": `"ÉTÉ"`, "name": `"Été"`,
				"extra_json": `"{\"rank\":1.50,\"tags\":[\"b\",\"a\"],\"zone\":\"北\"}"`,
			})
		}
		for _, key := range []fields{{"id": "skt-go"}, {"title": "Go Programming"}} {
			key["assessment_id"] = "asm-workbench"
			w.shows("skills_test", key, map[string]string{
				"id": `"skt-go"`, "title": `"Go Programming"`, "category": `"Software"`, "active": "false",
				"time_to_complete": `"40 minutes"`, "number_of_questions": "123456789012345678901", "extra_json": `"{\"level\":3}"`,
			})
		}
	})
}

// Not every service offers the lists of an assessment, and not for every assessment (A8, A9, A23). A rejection says
// nothing about that.
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	for status, hint := range map[int]string{
		http.StatusForbidden: "", http.StatusMethodNotAllowed: "check assessment_id.*this service does not list ",
	} {
		begin(t, func(w *session) {
			w.service.Hook(answering("", status))
			answer := fmt.Sprintf("%d %s: not this one", status, http.StatusText(status))
			for _, items := range []string{"assessments", "positions"} {
				w.rejects(items, nil, "Could not list the "+items+` of the organization\.`, answer)
			}
			for _, items := range []string{"packages", "benchmarks", "profiles", "skills tests"} {
				w.rejects(strings.ReplaceAll(items, " ", "_"), fields{"assessment_id": "asm-quartet"},
					"Could not list the "+items+` of assessment "asm-quartet"\.`, answer, hint)
			}
		})
	}
}

// The optional arguments of lists. Null means that the list is not filtered. A set is sent as a parameter for each
// value. An empty set selects nothing and sends no request.
func TestFilters(t *testing.T) {
	t.Parallel()
	begin(t, func(w *session) {
		service := w.service
		service.Change(func(st *sandbox.State) {
			st.Position("pos-support-leeds").Title = "Backend Engineer, London"
			st.Position("pos-lager-leipzig").Locale = ""
			st.Position("pos-donnees-paris").Title = decomposed
			bare := sandbox.SkillsTest{}
			bare.Set("id", "skt-bare")
			bare.Set("active", false)
			workbench := st.Assessment("asm-workbench")
			workbench.SkillsTests = []sandbox.SkillsTest{bare, *workbench.SkillsTest("skt-sql")}
		})
		const workbench, graduates = "asm-workbench", sandbox.DemoResultsPosition
		nobody := map[string]string{"candidates": "[]", "candidate_login_urls": "{}", "raw_json": `"[]"`}
		for _, row := range []struct {
			data      string
			arguments fields
			query     string // of the requests, besides the limit
			shows     map[string]string
		}{
			// The service does not find a decomposed title, so the list of all positions decides.
			{"positions", fields{"title": "Été"}, " title=%C3%89t%C3%A9", map[string]string{"ids": `["pos-donnees-paris"]`}},
			{"position", fields{"title": "Été"}, " title=%C3%89t%C3%A9", map[string]string{"id": `"pos-donnees-paris"`}},
			{"positions", fields{"title": "No, Where"}, "title=No%2C+Where", map[string]string{"ids": "[]", "positions": "[]"}},
			{"position", fields{"id": "pos-lager-leipzig"}, "", map[string]string{"locale": "null"}},
			{"skills_tests", fields{"assessment_id": workbench}, "active=false active=true", map[string]string{
				"ids": `["skt-sql","skt-bare"]`,
			}},
			{"skills_tests", fields{"assessment_id": workbench, "active": true}, "active=true", map[string]string{
				"ids": `["skt-sql"]`,
			}},
			{"skills_tests", fields{"assessment_id": workbench, "active": false}, "active=false", map[string]string{
				"tests": `[{"active":false,"category":null,"description":null,"extra_json":null,"id":"skt-bare",` +
					`"number_of_questions":null,"time_to_complete":null,"title":null}]`,
				"ids_by_title": "{}",
			}},
			// The ID is in the list of enabled tests.
			{"skills_test", fields{"assessment_id": workbench, "id": "skt-sql"}, "active=true", map[string]string{
				"title": `"SQL Queries"`,
			}},
			{"position_results", fields{
				"position_id": graduates, "candidate_ids": []string{"cnd-001", "cnd-007"}, "assessment_ids": []string{"asm-lumen"},
			}, "assessment=asm-lumen&candidate=cnd-001&candidate=cnd-007", nil},
			{"position_results", fields{"position_id": graduates, "candidate_ids": []string{}}, "", nobody},
			{"position_results", fields{"position_id": graduates, "assessment_ids": []string{}}, "", nobody},
		} {
			sent := len(service.Journal())
			w.again().shows(row.data, row.arguments, row.shows)
			if got := strings.Join(queries(service.Journal()[sent:]), " "); got != row.query {
				t.Errorf("%s %v: requested with %q, want %q", row.data, row.arguments, got, row.query)
			}
		}
		titled, said := w.again().read("positions", fields{"title": "Backend Engineer, London"})
		if fmt.Sprint(titled["ids"], titled["ids_by_title"]) != "[pos-backend-london pos-support-leeds] map[]" || len(said.Warnings().Saying(
			`Several positions have the same title, so the map ids_by_title omits it: "Backend Engineer, London".`)) != 1 {
			t.Errorf("two positions with one title: %v, %v", titled, said)
		}
		// A list that is limited to a locale may still contain two items with one name.
		service.Change(func(st *sandbox.State) {
			lumen := st.Assessment("asm-lumen")
			twin := lumen.Benchmarks[0]
			twin.ID = "bmk-twin"
			lumen.Benchmarks = append(lumen.Benchmarks, twin)
		})
		_, said = w.again().read("benchmarks", fields{"assessment_id": "asm-lumen", "locale": "en-GB"})
		if text := fmt.Sprint(said); !strings.Contains(text, "Options: refer to these benchmarks by their IDs") {
			t.Errorf("two benchmarks with one name and the wanted locale: %s", text)
		}
		// The title is compared exactly, also if the service ignores the filter (A25).
		service.Hook(func(r *driver.Request, next func() driver.Response) driver.Response {
			response := next()
			response.Body = []byte(`[{"id":"a","title":"Other"},{"id":"b","title":"ENGINEER"},{"id":"c","title":"Engineer"}]`)
			return response
		})
		w.again().shows("positions", fields{"title": "Engineer"}, map[string]string{"ids": `["c"]`})
	})
}

// queries returns the parameters of the requests, sorted and without limits.
func queries(journal []driver.Request) []string {
	all := []string{}
	for _, sent := range journal {
		sent.Query.Del("limit")
		sent.Query.Del("fields")
		all = append(all, sent.Query.Encode())
	}
	slices.Sort(all)
	return all
}

// profiles are those of the assessment "asm-northlight".
const profiles = `{"Curious builders":"prf-curious-builders","Customer first":"prf-customer-first",` +
	`"Safety before speed":"prf-safety-before-speed"}`

// TestAssessmentOptions tests assumption A29.
func TestAssessmentOptions(t *testing.T) {
	t.Parallel()
	begin(t, func(w *session) {
		for assessment, shows := range map[string]map[string]string{
			"asm-quartet": {
				"blocks": `["benchmark","packages"]`, "required_blocks": `["packages"]`,
				"packages": `{"Numerical reasoning":"pkg-numerical-reasoning","Problem solving":"pkg-problem-solving",` +
					`"Processing speed":"pkg-processing-speed","Verbal knowledge":"pkg-verbal-knowledge"}`,
				"mandatory_package_ids": `["pkg-problem-solving","pkg-numerical-reasoning"]`,
				"benchmarks":            `{"Engineers":"bmk-quartet-engineers-en-gb","Graduates":"bmk-quartet-graduates-en-gb"}`,
				"profiles":              "{}", "skills_tests": "{}", "disabled_skills_tests": "{}", "ambiguous_names": "[]",
			},
			"asm-northlight": {
				"blocks": `["profile"]`, "required_blocks": "[]", "packages": "{}", "mandatory_package_ids": "[]",
				"profiles": profiles,
			},
			"asm-workbench": {
				"blocks": `["tests"]`, "required_blocks": `["tests"]`,
				"disabled_skills_tests": `{"Container Orchestration":"skt-kubernetes","Go Programming":"skt-go",` +
					`"Handling Complaints":"skt-complaints","IFRS Reporting":"skt-ifrs","Rust Programming":"skt-rust"}`,
			},
			"asm-tally": {"blocks": `["benchmark"]`, "required_blocks": "[]"},
			"asm-facet": {"blocks": "[]", "required_blocks": "[]", "benchmarks": "{}"},
		} {
			w.shows("assessment_options", fields{"assessment_id": assessment, "locale": "en_gb"}, shows)
		}
		w.shows("assessment_options", fields{"assessment_id": "asm-lumen"}, map[string]string{ // every locale
			"blocks": `["benchmark"]`, "benchmarks": "{}", "ambiguous_names": `["Engineers","Graduates","Managers"]`,
		})
		if n := len(w.service.Journal()); n != 6*5 { // five lists for each of six assessments
			t.Errorf("%d requests, want 30", n)
		}
		w.rejects("assessment_options", fields{"assessment_id": "asm-quartett"},
			"Unknown assessment", `no assessment "asm-quartett"`, `"Quartet Games" \(asm-quartet\)`)
	})
}

// A service may reject packages and skills tests of other kinds of assessments (A23), and may not offer the list of
// benchmarks (A8). Lists that are not offered are null, and their blocks are accepted.
func TestAssessmentOptionsOfAnotherService(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusMethodNotAllowed} {
		begin(t, func(w *session) {
			w.service.Hook(answering(sandbox.RoutePackages, status))
			w.service.Hook(answering(sandbox.RouteSkillsTests, status))
			w.service.Hook(answering(sandbox.RouteBenchmarks, http.StatusNotImplemented))
			w.shows("assessment_options", fields{"assessment_id": "asm-northlight"}, map[string]string{
				"blocks": `["benchmark","profile"]`, "required_blocks": "[]", "packages": "{}", "benchmarks": "null",
				"profiles": profiles, "skills_tests": "{}", "ambiguous_names": "[]",
			})
		})
	}
	begin(t, func(w *session) { // whether the assessment exists cannot be checked, and plan_checks would not change that
		w.service.Hook(answering(sandbox.RoutePackages, http.StatusBadRequest))
		w.service.Hook(answering(sandbox.RouteAssessments, http.StatusForbidden))
		w.rejects("assessment_options", fields{"assessment_id": "asm-northlight"},
			`Could not list the assessments of the organization\. .*403.*the API key does not have it\. https`)
	})
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusNotImplemented} {
		begin(t, func(w *session) { // the assessment has packages, although the second page is rejected
			reject := answering(sandbox.RoutePackages, status)
			w.service.Hook(func(r *driver.Request, next func() driver.Response) driver.Response {
				if r.Query.Has("offset") {
					return reject(r, next)
				}
				resp := next()
				if r.Is("", sandbox.RoutePackages) {
					resp.Header.Set("Link", `<?limit=1000&offset=4>; rel="next"`)
				}
				return resp
			})
			w.rejects("assessment_options", fields{"assessment_id": "asm-quartet"},
				"Could not list the packages", strconv.Itoa(status))
		})
	}
}

// A data source that finds nothing, or too much, says what to do, and lists the names that exist.
func TestLookupMessages(t *testing.T) {
	t.Parallel()
	begin(t, func(w *session) {
		w.service.Change(func(st *sandbox.State) {
			st.Position("pos-backend-london").Title = "Backend Engineer ${Go}, London"
			paris := st.Position("pos-donnees-paris")
			twin := *paris
			twin.ID, twin.Locale = "pos-donnees-lyon", "fr-CA"
			twin.Extra.Set("department", "Data")
			st.Positions = append(st.Positions, twin)
		})
		w.rejects("position", fields{"title": "Backend Engineer ${Go}, Londn"},
			`Similar: "pos-backend-london"`,
			`correct the value of the attribute "title"\. The title must match exactly\. If the position was renamed, write its new title\.`,
			`moved \{\s+from = assess_position_assessment\.NAME\["Backend Engineer \$\$\{Go\}, Londn"\]\s+`+
				`to = assess_position_assessment\.NAME\["Backend Engineer \$\$\{Go\}, London"\]\s+\}`)
		w.rejects("position", fields{"title": "Graduate Programme 2026 "}, `has the title "Graduate Programme 2026 "`,
			`Similar: .*\. To fix this: correct the value of the attribute "title"\. The title must match exactly\.`)
		w.rejects("position", fields{"title": "Night Porter"}, "Available: ",
			`NAME\["Night Porter"\]\s+to .*NAME\["NEW TITLE"\]`)
		w.rejects("position", fields{"title": "Ingénieure données, Paris"}, "2 positions have the title",
			`"pos-donnees-paris" \(title "Ingénieure .*", extra_json <null>, locale "fr-FR"\), `+
				`"pos-donnees-lyon" \(title "Ingénieure .*", extra_json .*department.*, locale "fr-CA"\)`)
		w.rejects("benchmark", fields{"assessment_id": "asm-lumen", "name": "Managers"}, "3 benchmarks have the name",
			"set locale, or set id to one of these IDs instead")
		// Without the list of the other locale, the message names the locale.
		w.rejects("benchmark", fields{"assessment_id": "asm-lumen", "name": "Engineers", "locale": "es-ES"},
			`has the name "Engineers" and the locale "es-ES"`, `Similar: .*locale "de-DE"`,
			`To fix this: correct one of these two values\. The name must match exactly\.`)
		w.rejects("benchmark", fields{"assessment_id": "asm-northlight", "name": "Graduates"},
			`Assessment "asm-northlight" has no benchmarks\.`, `remove this data source`)
		// One hidden value hides no similar values. If the service hides all titles, no other title can help.
		w.service.Change(func(st *sandbox.State) {
			st.Assessment("asm-facet").Code = ""
			for i := range st.Positions {
				st.Positions[i].Title = ""
			}
		})
		w.again().rejects("assessment", fields{"code": "lmn"}, `not show the code of 1 of 13 assessments, and none of the others `+
			`has the code "lmn"\. Similar: "asm-lumen" \(code "LMN", .*\. To fix this: set the attribute "id" instead`)
		w.again().rejects("position", fields{"title": "Engineer"}, `does not show the title of any of \d+ positions\. To fix this: `+
			`set the attribute "id" instead\. .* on the website of the service\. https`)
	})
}
