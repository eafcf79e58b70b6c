// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	skills    = "/assessments/asm-workbench/skills"
	allFields = "fields=title,description,category,timeToComplete,numberOfQuestions,active"
)

// oddTest has members and spellings that a careless client would change.
const oddTest = `{"id":"skt-odd","title":"Éclair & <b>","numberOfQuestions":30.0,"serial":12345678901234567890,"levels":[3,1,2],"nested":{"z":1e2,"a":null},"active":false}`

func TestSkillsTestsListsActiveOnesByDefault(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{})
	for query, want := range map[string]struct {
		active bool
		n      int
	}{"": {true, 19}, "&active=true": {true, 19}, "&active=false": {false, 5}} {
		elements := get(t, service, skills+"?"+allFields+query).Array(t)
		if len(elements) != want.n || elements[0]["active"] != want.active || elements[want.n-1]["active"] != want.active {
			t.Errorf("%q: %d tests, want %+v: %v", query, len(elements), want, elements)
		}
	}
	get(t, service, skills+"?active=no").Want(t, http.StatusBadRequest, "active")
}

// A client sends a skills test as it was listed, in any spelling of the same values. It can change only whether the test
// is enabled.
func TestSkillsTestPut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		old, new string // the change to the listed resource
		status   int
		part     string
	}{
		"enabled":               {`"active":false`, `"active":true`, 200, `"active":true`},
		"in ASCII":              {"É", `\u00c9`, 200, ""},
		"members in any order":  {`{"z":1e2,"a":null}`, `{"a":null,"z":1e2}`, 200, ""},
		"white space":           {`"active":false`, "\"active\" :\n true", 200, ""},
		"another link":          {"/skills/skt-odd", "/skills/skt-sql", 400, "_links"},
		"30.0 became 30":        {"30.0", "30", 400, "numberOfQuestions"},
		"1e2 became 100":        {"1e2", "100", 400, "nested"},
		"twenty digits rounded": {"12345678901234567890", "12345678901234567000", 400, "serial"},
		"other order of values": {"[3,1,2]", "[1,2,3]", 400, "levels"},
		"title changed":         {"Éclair", "Eclair", 400, "title"},
		"member lost":           {`"serial":12345678901234567890,`, "", 400, "serial"},
		"member added":          {`"active"`, `"colour":1,"active"`, 400, "colour"},
		"id changed":            {`"id":"skt-odd"`, `"id":"skt-sql"`, 400, "id"},
		"active is a string":    {`"active":false`, `"active":"true"`, 400, "active"},
		"active left out":       {`,"active":false`, "", 400, "active"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := sandboxtest.New(t, noLimits, func(o *sandboxtest.Options) {
				o.Seed = func() *sandbox.State {
					st := sandbox.Demo()
					st.Assessment("asm-workbench").SkillsTests = []sandbox.SkillsTest{sandboxtest.SkillsTest(t, oddTest)}
					return st
				}
			})
			listed := get(t, server, skills+"?active=false&"+allFields)
			listed.Want(t, http.StatusOK, strings.TrimSuffix(oddTest, "}"), test.old) // in the same spelling
			resource := strings.TrimSuffix(strings.TrimPrefix(listed.Body, "["), "]")
			changed := strings.Replace(resource, test.old, test.new, 1)
			put(t, server, skills+"/skt-odd", changed).Want(t, test.status, test.part)
			if test.status != http.StatusOK {
				get(t, server, skills+"?active=false&"+allFields).Want(t, http.StatusOK, listed.Body)
			}
			if name != "enabled" {
				return
			}
			get(t, server, skills+"?"+allFields).Want(t, http.StatusOK, changed)
			put(t, server, skills+"/skt-odd", changed).Want(t, http.StatusOK)
			put(t, server, skills+"/skt-odd", resource).Want(t, http.StatusBadRequest, "not disable")
			put(t, server, skills+"/skt-none", changed).Want(t, http.StatusNotFound, "skt-none")
			put(t, server, "/assessments/asm-none/skills/skt-odd", changed).Want(t, http.StatusNotFound, "asm-none")
		})
	}
}
