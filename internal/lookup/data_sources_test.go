// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// lookup describes two data sources for items that the service lists: one finds an item
// by one of its keys, and one lists all items. TestLookups checks what all of them do. change adds more to the item,
// and makes the twins.
type lookup struct {
	singular, plural string // such as "skills test"
	list             string // the attribute with all items
	route            string
	assessment       string   // whose items are listed, or "" for items of the organization
	keys             []string // besides the ID
	also             fields   // arguments that a key requires to find one item
	item             string   // one of the items, as JSON
	twins            []string // IDs of the items that have the same keys
	requests         int      // for a list, and for finding the item by each key
	change           func(st *sandbox.State, more sandbox.Object)
}

// decomposed is a name that a service stores with accents as characters of their own. The CLI sends it as "Été".
const decomposed = "E\u0301te\u0301"

var lookups = []lookup{
	{
		singular: "assessment", plural: "assessments", list: "assessments", route: sandbox.RouteAssessments,
		keys:  []string{"code", "name"},
		item:  `{"id": "asm-workbench", "code": "ÉTÉ", "name": "Été"}`,
		twins: []string{"asm-lumen", "asm-facet"}, requests: 1,
		change: func(st *sandbox.State, more sandbox.Object) {
			st.Assessment("asm-workbench").Extra = more
			st.Assessment("asm-workbench").Code, st.Assessment("asm-workbench").Name = "E\u0301TE\u0301", decomposed
			st.Assessment("asm-facet").Code, st.Assessment("asm-facet").Name = "LMN", "Lumen Ability Test"
		},
	},
	{
		singular: "position", plural: "positions", list: "positions", route: sandbox.RoutePositions,
		keys:  []string{"title"},
		item:  `{"id": "pos-backend-london", "title": "Backend Engineer, London", "locale": "en-GB"}`,
		twins: []string{"pos-support-leeds", "pos-donnees-paris"}, requests: 2, // one asks for the title
		change: func(st *sandbox.State, more sandbox.Object) {
			st.Position("pos-backend-london").Extra = more
			st.Position("pos-support-leeds").Title = st.Position("pos-donnees-paris").Title
		},
	},
	{
		singular: "package", plural: "packages", list: "packages", route: sandbox.RoutePackages,
		assessment: "asm-quartet", keys: []string{"name"},
		item:  `{"id": "pkg-processing-speed", "name": "Été", "mandatory": false}`,
		twins: []string{"pkg-numerical-reasoning", "pkg-verbal-knowledge"}, requests: 1,
		change: func(st *sandbox.State, more sandbox.Object) {
			games := st.Assessment("asm-quartet")
			games.Package("pkg-processing-speed").Extra, games.Package("pkg-processing-speed").Name = more, decomposed
			games.Package("pkg-verbal-knowledge").Name = "Numerical reasoning"
		},
	},
	{
		singular: "benchmark", plural: "benchmarks", list: "benchmarks", route: sandbox.RouteBenchmarks,
		assessment: "asm-lumen", keys: []string{"name"}, also: fields{"locale": "fr-FR"},
		item:  `{"id": "bmk-lumen-managers-fr-fr", "name": "Managers", "locale": "fr-FR"}`,
		twins: []string{"bmk-lumen-graduates-en-gb", "bmk-lumen-graduates-de-de", "bmk-lumen-graduates-fr-fr"}, requests: 1,
		change: func(st *sandbox.State, more sandbox.Object) {
			st.Assessment("asm-lumen").Benchmark("bmk-lumen-managers-fr-fr").Extra = more
		},
	},
	{
		singular: "profile", plural: "profiles", list: "profiles", route: sandbox.RouteProfiles,
		assessment: "asm-northlight", keys: []string{"name"},
		item:  `{"id": "prf-customer-first", "name": "Été"}`,
		twins: []string{"prf-safety-before-speed", "prf-curious-builders"}, requests: 1,
		change: func(st *sandbox.State, more sandbox.Object) {
			values := st.Assessment("asm-northlight")
			values.Profile("prf-customer-first").Extra, values.Profile("prf-customer-first").Name = more, decomposed
			values.Profile("prf-safety-before-speed").Name = "Curious builders"
		},
	},
	{
		singular: "skills test", plural: "skills tests", list: "tests", route: sandbox.RouteSkillsTests,
		assessment: "asm-workbench", keys: []string{"title"},
		item: `{"id": "skt-go", "title": "Été", "description": "", "category": "Software", "active": false,
			"time_to_complete": "40 minutes", "number_of_questions": 123456789012345678901}`,
		twins: []string{"skt-typescript", "skt-rust"}, requests: 2,
		change: func(st *sandbox.State, more sandbox.Object) {
			skills := st.Assessment("asm-workbench")
			first := skills.SkillsTest("skt-go")
			for _, member := range more {
				first.Set(member.Name, member.Value)
			}
			first.Set("title", decomposed)
			first.Set("description", "")
			first.Set("numberOfQuestions", json.Number("123456789012345678901"))
			skills.SkillsTest("skt-rust").Set("title", "TypeScript")
		},
	},
}

// find and all are the names of the two data sources.
func (l lookup) find() string { return "assess_" + strings.ReplaceAll(l.singular, " ", "_") }
func (l lookup) all() string  { return "assess_" + strings.ReplaceAll(l.plural, " ", "_") }

// of returns arguments for items of an assessment.
func (l lookup) of(assessment string, more fields) fields {
	arguments := maps.Clone(more)
	if arguments == nil {
		arguments = fields{}
	}
	if l.assessment != "" {
		arguments["assessment_id"] = assessment
	}
	return arguments
}

// by returns arguments that find an item.
func (l lookup) by(key string, value any) fields { return l.of(l.assessment, fields{key: value}) }

// extra has members beyond the specification. extra_json shows them sorted, with the
// original spelling of numbers.
const (
	extra      = `{"zone": "北", "rank": 1.50, "tags": ["b", "a"]}`
	extraShown = `{"rank":1.50,"tags":["b","a"],"zone":"北"}`
)

func object(t *testing.T, text string) sandbox.Object {
	t.Helper()
	o, err := sandbox.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestLookups(t *testing.T) {
	t.Parallel()
	for _, l := range lookups {
		t.Run(l.plural, func(t *testing.T) {
			t.Parallel()
			begin(t, func(w *session) {
				service := w.service
				service.Change(func(st *sandbox.State) { l.change(st, object(t, extra)) })
				item, _ := fromJSON(t, l.item).(fields)
				item["extra_json"] = extraShown
				all := l.lists(t, w)
				at := slices.IndexFunc(all, func(listed fields) bool { return listed["id"] == item["id"] })
				sameJSON(t, "the listed item", all[at], jsonOf(t, item))
				for _, key := range append([]string{"id"}, l.keys...) {
					arguments := l.by(key, item[key])
					if key != "id" {
						maps.Copy(arguments, l.also)
					}
					want := maps.Clone(item)
					maps.Copy(want, arguments)
					sameJSON(t, "the item by "+key, w.reads(l.find(), arguments), jsonOf(t, want))
				}
				if n := len(service.Journal()); n != l.requests || service.Count(http.MethodGet, l.route) != n {
					t.Errorf("%d requests, want %d of the list", n, l.requests)
				}

				l.rejectsOthers(t, w, item, len(all))
				if l.assessment != "" {
					got := w.reads(l.all(), l.of("asm-facet", nil))
					sameJSON(t, "the list of another assessment", []any{got["ids"], got[l.list]}, "[[], []]")
				}
			})
		})
	}
}

// lists reads the list, and checks the IDs and the map of IDs, which omits twins.
func (l lookup) lists(t *testing.T, w *session) (all []fields) {
	t.Helper()
	listed := w.warns(l.all(), l.of(l.assessment, nil), "Ambiguous names omitted", "ids_by_"+l.keys[0])
	ids, named := []any{}, map[string][]any{}
	items, _ := listed[l.list].([]any)
	for _, one := range items {
		item, _ := one.(fields)
		name, _ := item[l.keys[0]].(string)
		all, ids, named[name] = append(all, item), append(ids, item["id"]), append(named[name], item["id"])
	}
	unique := fields{}
	for name, ids := range named {
		if len(ids) == 1 {
			unique[name] = ids[0]
		}
	}
	sameJSON(t, "ids", listed["ids"], jsonOf(t, ids))
	sameJSON(t, "the map of IDs", listed["ids_by_"+l.keys[0]], jsonOf(t, unique))
	return all
}

// rejectsOthers checks the errors for keys that no item has, or that several items have.
func (l lookup) rejectsOthers(t *testing.T, w *session, item fields, count int) {
	t.Helper()
	none := func(key, value string) []string {
		return []string{
			"No " + l.singular + " found",
			regexp.QuoteMeta(fmt.Sprintf("None of %d %s has the %s %q", count, l.plural, key, value)),
		}
	}
	w.rejects(l.find(), l.by("id", "nowhere"), append(none("id", "nowhere"), `Available: .*"`)...)
	for _, key := range l.keys {
		name, _ := item[key].(string)
		near := strings.ToLower(name)
		similar := fmt.Sprintf("Similar: .*%q .*%s %q", item["id"], key, name)
		w.rejects(l.find(), l.by(key, near), append(none(key, near), similar)...)
		twin, _ := w.reads(l.find(), l.by("id", l.twins[0]))[key].(string)
		w.rejects(l.find(), l.by(key, twin), "Several "+l.plural+" found",
			regexp.QuoteMeta(fmt.Sprintf("%d %s have the %s %q", len(l.twins), l.plural, key, twin)),
			strings.Join(l.twins, ".*"), "set (locale, or set )?id to one of these IDs instead")
	}
}

// Not every service offers the lists of an assessment, and not for every assessment
// (assumptions A8, A9 and A23).
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	for _, status := range []int{
		http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented,
		http.StatusForbidden,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			begin(t, func(w *session) {
				w.service.Hook(answering("", status))
				for _, l := range lookups {
					says := []string{"Could not list the " + l.plural, fmt.Sprintf("%d %s: not this one", status, http.StatusText(status))}
					switch {
					case l.assessment == "":
						says = append(says, "Could not list the "+l.plural+` of the organization\.`)
					case status == http.StatusForbidden || status == http.StatusBadRequest:
						says = append(says, l.plural+` of assessment "asm-.*"\.`)
					default:
						says = append(says, l.plural+` of assessment "asm-.*"\.`, "check assessment_id", "this service does not list "+l.plural)
					}
					w.rejects(l.all(), l.of(l.assessment, nil), says...)
				}
			})
		})
	}
}

// The optional arguments of lists. Null means that the list is not filtered. A set is sent as a parameter for
// each value. An empty set selects nothing and sends no request.
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
			st.Assessment("asm-workbench").SkillsTests = []sandbox.SkillsTest{
				bare, *st.Assessment("asm-workbench").SkillsTest("skt-sql"),
			}
		})
		const (
			graduates = sandbox.DemoResultsPosition
			people    = "candidate=cnd-001&candidate=cnd-007"
			tests     = "assessment=asm-keystone&assessment=asm-lumen"
		)
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
			{"positions", fields{"title": "Nobody, Nowhere"}, "title=Nobody%2C+Nowhere", map[string]string{
				"ids": "[]", "positions": "[]",
			}},
			{"position", fields{"title": "Fachkraft für Lagerlogistik, Leipzig"}, "title=Fachkraft+f%C3%BCr+Lagerlogistik%2C+Leipzig", map[string]string{
				"id": `"pos-lager-leipzig"`, "locale": "null",
			}},
			{"benchmarks", fields{"assessment_id": "asm-lumen", "locale": "fr_fr"}, "", map[string]string{
				"ids": `["bmk-lumen-graduates-fr-fr", "bmk-lumen-engineers-fr-fr", "bmk-lumen-managers-fr-fr"]`,
				"ids_by_name": `{"Graduates": "bmk-lumen-graduates-fr-fr", "Engineers": "bmk-lumen-engineers-fr-fr",
				"Managers": "bmk-lumen-managers-fr-fr"}`,
			}},
			{"benchmarks", fields{"assessment_id": "asm-lumen", "locale": "da-DK"}, "", map[string]string{
				"ids": "[]", "benchmarks": "[]",
			}},
			{"packages", fields{"assessment_id": "asm-quartet"}, "", map[string]string{
				"mandatory_ids": `["pkg-problem-solving", "pkg-numerical-reasoning"]`,
				"optional_ids":  `["pkg-processing-speed", "pkg-verbal-knowledge"]`,
			}},
			{"skills_tests", fields{"assessment_id": "asm-workbench"}, "active=false active=true", map[string]string{
				"ids": `["skt-sql", "skt-bare"]`,
			}},
			{"skills_tests", fields{"assessment_id": "asm-workbench", "active": true}, "active=true", map[string]string{
				"ids": `["skt-sql"]`,
			}},
			{"skills_tests", fields{"assessment_id": "asm-workbench", "active": false}, "active=false", map[string]string{
				"tests": `[{"id": "skt-bare", "active": false, "title": null, "description": null, "category": null,
				"time_to_complete": null, "number_of_questions": null, "extra_json": null}]`,
				"ids_by_title": "{}",
			}},
			// The ID is in the list of enabled tests.
			{"skills_test", fields{"assessment_id": "asm-workbench", "id": "skt-sql"}, "active=true", map[string]string{
				"title": `"SQL Queries"`,
			}},
			{"position_results", fields{"position_id": graduates, "candidate_ids": []string{"cnd-007", "cnd-001"}}, people, nil},
			{"position_results", fields{"position_id": graduates, "assessment_ids": []string{"asm-lumen", "asm-keystone"}}, tests, nil},
			{"position_results", fields{
				"position_id": graduates, "candidate_ids": []string{"cnd-001", "cnd-007"}, "assessment_ids": []string{"asm-keystone", "asm-lumen"},
			}, tests + "&" + people, nil},
			{"position_results", fields{"position_id": graduates, "candidate_ids": []string{}}, "", nobody},
			{"position_results", fields{"position_id": graduates, "assessment_ids": []string{}}, "", nobody},
		} {
			run := w.again()
			sent := len(service.Journal())
			run.shows("assess_"+row.data, row.arguments, row.shows)
			if got := strings.Join(queries(service.Journal()[sent:]), " "); got != row.query {
				t.Errorf("%s %v: requested with %q, want %q", row.data, row.arguments, got, row.query)
			}
		}
		titled := w.again().warns("assess_positions", fields{"title": "Backend Engineer, London"},
			`Several positions have the same title, so the map ids_by_title omits it: "Backend Engineer, London".`)
		sameJSON(t, "ids and ids_by_title", []any{titled["ids"], titled["ids_by_title"]},
			`[["pos-backend-london", "pos-support-leeds"], {}]`)
		// Without the list of the other locale, the message names the locale.
		w.again().rejects("assess_benchmark", fields{"assessment_id": "asm-lumen", "name": "Engineers", "locale": "es-ES"},
			`has the name "Engineers" and the locale "es-ES"`, `Similar: .*locale "de-DE"`)
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

// TestAssessmentOptions tests assumption A29.
func TestAssessmentOptions(t *testing.T) {
	t.Parallel()
	begin(t, func(w *session) {
		for assessment, shows := range map[string]map[string]string{
			"asm-quartet": {
				"blocks": `["benchmark", "packages"]`, "required_blocks": `["packages"]`,
				"packages": `{"Problem solving": "pkg-problem-solving", "Numerical reasoning": "pkg-numerical-reasoning",
				"Processing speed": "pkg-processing-speed", "Verbal knowledge": "pkg-verbal-knowledge"}`,
				"mandatory_package_ids": `["pkg-problem-solving", "pkg-numerical-reasoning"]`,
				"benchmarks":            `{"Graduates": "bmk-quartet-graduates-en-gb", "Engineers": "bmk-quartet-engineers-en-gb"}`,
				"profiles":              "{}", "skills_tests": "{}", "disabled_skills_tests": "{}", "ambiguous_names": "[]",
			},
			"asm-northlight": {
				"blocks": `["profile"]`, "required_blocks": "[]", "packages": "{}", "mandatory_package_ids": "[]",
				"profiles": `{"Customer first": "prf-customer-first", "Safety before speed": "prf-safety-before-speed",
				"Curious builders": "prf-curious-builders"}`,
			},
			"asm-workbench": {
				"blocks": `["tests"]`, "required_blocks": `["tests"]`,
				"disabled_skills_tests": `{"Go Programming": "skt-go", "Rust Programming": "skt-rust",
				"Container Orchestration": "skt-kubernetes", "Handling Complaints": "skt-complaints", "IFRS Reporting": "skt-ifrs"}`,
			},
			"asm-tally": {"blocks": `["benchmark"]`, "required_blocks": "[]"},
			"asm-facet": {"blocks": "[]", "required_blocks": "[]", "benchmarks": "{}"},
		} {
			w.shows("assess_assessment_options", fields{"assessment_id": assessment, "locale": "en_gb"}, shows)
		}
		w.shows("assess_assessment_options", fields{"assessment_id": "asm-lumen"}, map[string]string{ // every locale
			"blocks": `["benchmark"]`, "benchmarks": "{}", "ambiguous_names": `["Engineers", "Graduates", "Managers"]`,
		})
		w.reads("assess_packages", fields{"assessment_id": "asm-quartet"})
		w.reads("assess_skills_tests", fields{"assessment_id": "asm-workbench"})
		if n := len(w.service.Journal()); n != 6*5 { // five lists for each of six assessments
			t.Errorf("%d requests, want 30", n)
		}
		w.rejects("assess_assessment_options", fields{"assessment_id": "asm-quartett"},
			"Unknown assessment", `no assessment "asm-quartett"`, `"Quartet Games" \(asm-quartet\)`)
	})
}

// A service may reject packages and skills tests of other kinds of assessments (A23), and may not offer the list of
// benchmarks (A8). Lists that are not offered are null, and their blocks are accepted.
func TestAssessmentOptionsOfAnotherService(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			begin(t, func(w *session) {
				for _, route := range []string{sandbox.RoutePackages, sandbox.RouteSkillsTests} {
					w.service.Hook(answering(route, status))
				}
				w.service.Hook(answering(sandbox.RouteBenchmarks, http.StatusNotImplemented))
				w.shows("assess_assessment_options", fields{"assessment_id": "asm-northlight"}, map[string]string{
					"blocks": `["benchmark", "profile"]`, "required_blocks": "[]",
					"packages": "{}", "mandatory_package_ids": "[]", "benchmarks": "null",
					"profiles": `{"Customer first": "prf-customer-first", "Safety before speed": "prf-safety-before-speed",
						"Curious builders": "prf-curious-builders"}`,
					"skills_tests": "{}", "disabled_skills_tests": "{}", "ambiguous_names": "[]",
				})
			})
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
		w.rejects("assess_position", fields{"title": "Backend Engineer ${Go}, Londn"},
			`Similar: "pos-backend-london"`,
			`correct the value of the attribute "title"\. It must match exactly\. If the position was renamed, write its new title\.`,
			`moved \{\s+from = assess_position_assessment\.NAME\["Backend Engineer \$\$\{Go\}, Londn"\]\s+`+
				`to = assess_position_assessment\.NAME\["Backend Engineer \$\$\{Go\}, London"\]\s+\}`)
		w.rejects("assess_position", fields{"title": "Graduate Programme 2026 "}, `has the title "Graduate Programme 2026 "`,
			`Similar: .*\. To fix this: correct the value of the attribute "title"\. It must match exactly\.`)
		w.rejects("assess_position", fields{"title": "Night Porter"}, "Available: ",
			`NAME\["Night Porter"\]\s+to .*NAME\["NEW TITLE"\]`)
		w.rejects("assess_position", fields{"title": "Ingénieure données, Paris"}, "2 positions have the title",
			`"pos-donnees-paris" \(title "Ingénieure .*", extra_json <null>, locale "fr-FR"\), `+
				`"pos-donnees-lyon" \(title "Ingénieure .*", extra_json .*department.*, locale "fr-CA"\)`)
		w.rejects("assess_benchmark", fields{"assessment_id": "asm-northlight", "name": "Graduates"},
			`Assessment "asm-northlight" has no benchmarks\. It accepts only: profile\.`, `remove this data source`)
		w.rejects("assess_profile", fields{"assessment_id": "asm-quartet", "name": "x"},
			`has no profiles\. It accepts only: packages, benchmark\.`)
		w.rejects("assess_skills_test", fields{"assessment_id": "asm-facet", "title": "x"},
			`has no skills tests\. It accepts no block\.`)
	})
}
