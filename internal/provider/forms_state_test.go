// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const (
	sameTitle  = "Chargé de clientèle, Lyon" // of four positions
	oddTitle   = "Übung 100 %d für %2F Café & Bar + 1;2"
	accentedID = "pos-übung [1]%2F+a?b#c&d=e;%d"
	existingPA = "pas-graduates-northlight"
)

// The states are the same for each form. Each service copies them.
var plainForms, numericForms = sync.OnceValue(formsState), sync.OnceValue(numericState)

// formsState is an organization whose values are written differently in the forms of
// [sandboxtest.Form]: letters of several charsets, nulls, timestamps, and lists with several pages.
func formsState() *sandbox.State {
	st := smallState()
	st.Positions = slices.DeleteFunc(st.Positions, func(p sandbox.Position) bool {
		return strings.HasPrefix(p.ID, "pos-0")
	})
	for _, id := range []string{"pos-lyon-1", "pos-lyon-2", accentedID} {
		st.Positions = append(st.Positions, sandbox.Position{ID: id, Title: sameTitle, Locale: "fr-FR"})
	}
	st.Position("pos-support-leeds").Extra = sandbox.Object{{Name: "rank", Value: json.RawMessage("1.50")}}
	st.Assessment("asm-facet").Extra = sandbox.Object{{Name: "zone", Value: json.RawMessage(`"北"`)}}
	skills := st.Assessment("asm-workbench")
	skills.SkillsTest("skt-rust").Set("title", oddTitle)
	skills.SkillsTest("skt-networks").Set("title", "Nets’ “best” – 5 €") // in windows-1252, not in Latin1
	skills.SkillsTest("skt-linux").Set("description", "Émile’s café")
	skills.SkillsTest("skt-python").Delete("description")
	for i, name := range []string{"Zoë O’Brien", "Łukasz Żółciński", "Šárka Nováková – Œuvre", "Anna"} {
		st.Position(sandbox.DemoResultsPosition).Candidates[i].Name = name
	}
	candidates := st.Position(sandbox.DemoResultsPosition).Candidates
	open := &candidates[1].Results[0]
	open.Percentile, open.Classification, open.Validity = nil, "", ""
	open.Invitations = open.Invitations[:1]
	open.Invitations[0].Status, open.Invitations[0].Completed = sandbox.InProgress, nil
	candidates[3].Results = nil
	return st
}

// jsonString matches a string in JSON.
const jsonString = `"(?:[^"\\]|\\.)*"`

// numericState is formsState with digits as IDs.
func numericState() *sandbox.State {
	text, _ := json.Marshal(formsState()) // as digits has
	text = regexp.MustCompile(jsonString).ReplaceAllFunc(text, func(quoted []byte) []byte {
		if number, found := digits[unquoted(quoted)]; found {
			return []byte(strconv.Quote(number))
		}
		return quoted
	})
	var st sandbox.State
	if err := json.Unmarshal(text, &st); err != nil {
		panic(err)
	}
	return &st
}

// digits are the IDs of numericState by those of formsState.
var digits = func() map[string]string {
	text, _ := json.Marshal(formsState())
	ids := map[string]bool{}
	for _, found := range regexp.MustCompile(`"id":(`+jsonString+`)`).FindAllSubmatch(text, -1) {
		ids[unquoted(found[1])] = true
	}
	numbers := map[string]string{}
	for i, id := range slices.Sorted(maps.Keys(ids)) {
		numbers[id] = fmt.Sprint(70001 + 7*i)
	}
	numbers["skt-sql"] = "12345678901234567890123" // more digits than a float64 or an int64 has
	return numbers
}()

// unquoted returns the value of a string in JSON.
func unquoted(quoted []byte) (value string) {
	if err := json.Unmarshal(quoted, &value); err != nil {
		panic(err)
	}
	return value
}

// renamed replaces each ID.
func renamed(v any) any {
	switch v := v.(type) {
	case string:
		if number, found := digits[v]; found {
			return number
		}
	case []any:
		for i := range v {
			v[i] = renamed(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = renamed(v[name])
		}
	case []string:
		for i := range v {
			v[i], _ = renamed(v[i]).(string)
		}
	case coretest.Body:
		for name := range v {
			v[name] = renamed(v[name])
		}
	}
	return v
}

// formsConfig has a position assessment of each kind, an activation, and data sources that they
// refer to. Without names, it refers to IDs instead.
func formsConfig(names bool) coretest.Config {
	data := func(kind, name string, body coretest.Body) coretest.Resource {
		return coretest.Resource{Addr: "data.assess_" + kind + "." + name, Body: body}
	}
	benchmark := data("benchmark", "engineers", coretest.Body{
		"assessment_id": "asm-lumen", "name": "Engineers", "locale": "en-GB",
	})
	test := data("skills_test", "odd", coretest.Body{"assessment_id": "asm-workbench", "title": oddTitle})
	enabled := activation("odd", "skt-rust")
	enabled.Body["test_id"] = coretest.Ref{Addr: test.Addr, Attribute: "id"}
	skills := tested("skills", leeds, "skt-sql", "skt-rust")
	skills.DependsOn = []string{enabled.Addr}
	if !names {
		enabled.Body["test_id"] = "skt-rust"
		return simulatedConfig(enabled, skills, activation("literal", "skt-go"), facet("plain", accentedID))
	}
	return simulatedConfig(
		benchmark, test, enabled, skills, activation("literal", "skt-go"),
		data("assessment_options", "lumen", coretest.Body{"assessment_id": "asm-lumen"}),
		data("position_assessment", "existing", coretest.Body{
			"position_id": sandbox.DemoResultsPosition, "id": existingPA,
		}),
		data("position_assessments", "graduates", coretest.Body{"position_id": sandbox.DemoResultsPosition}),
		selected("games", backend, "all"), packaged("some", leeds, "pkg-verbal-knowledge"),
		benchmarked("benchmark", backend, coretest.Ref{Addr: benchmark.Addr, Attribute: "id"}),
		profiled("profile", backend, "prf-customer-first"), northlight("supervisor", leeds),
		facet("plain", accentedID),
	)
}

// formsReads are the data sources and ephemeral resources to read, with their arguments.
func formsReads() []formsRead {
	graduates := fields{"position_id": sandbox.DemoResultsPosition}
	return []formsRead{
		{"assess_assessments", fields{}},
		{"assess_assessment", fields{"code": "LMN"}},
		{"assess_assessment", fields{"name": "Workbench Skills"}},
		{"assess_positions", fields{}},
		{"assess_positions", fields{"title": sameTitle}},
		{"assess_position", fields{"title": "Customer Support Adviser, Leeds"}},
		{"assess_position", fields{"id": accentedID}},
		{"assess_packages", fields{"assessment_id": "asm-quartet"}},
		{"assess_package", fields{"assessment_id": "asm-quartet", "name": "Verbal knowledge"}},
		{"assess_benchmarks", fields{"assessment_id": "asm-lumen"}},
		{"assess_benchmark", fields{"assessment_id": "asm-lumen", "name": "Managers", "locale": "fr-FR"}},
		{"assess_profiles", fields{"assessment_id": "asm-northlight"}},
		{"assess_profile", fields{"assessment_id": "asm-northlight", "name": "Curious builders"}},
		{"assess_skills_tests", fields{"assessment_id": "asm-workbench"}},
		{"assess_skills_test", fields{"assessment_id": "asm-workbench", "title": oddTitle}},
		{"assess_assessment_options", fields{"assessment_id": "asm-quartet"}},
		{"assess_assessment_options", fields{"assessment_id": "asm-workbench"}},
		{"assess_position_assessments", graduates},
		{"assess_position_assessment", fields{"position_id": sandbox.DemoResultsPosition, "id": existingPA}},
		{resultsType, graduates},
		{resultsType, fields{
			"position_id": sandbox.DemoResultsPosition, "candidate_ids": []string{"cnd-001", "cnd-002", "cnd-004"},
			"assessment_ids": []string{"asm-lumen", "asm-tideline"},
		}},
		{resultsEphemeral, graduates},
		{ephemeralPrefix + "assess_profile_link", fields{"position_id": sandbox.DemoResultsPosition, "id": existingPA}},
	}
}

type formsRead struct {
	name      string
	arguments fields
}
