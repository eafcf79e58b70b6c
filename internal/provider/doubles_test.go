// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const there = "The position has this assessment already"

func doubles(t *testing.T, step string) (*sandboxtest.Server, *cli) {
	t.Helper()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestDoubles", step)
	c.apply().ok().quiet()
	service.ResetJournal()
	return service, c
}

func assertAttached(t *testing.T, service *sandboxtest.Server, want int) {
	t.Helper()
	if n := len(service.State(t).Position(backend).Assessments); n != want {
		t.Errorf("the position has %d assessments, want %d", n, want)
	}
}

// "terraform test" plans and applies with a provider that it has configured once:
// what is planned again there is no second one.
func TestDoublesInATestFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &managed{world: newWorld(t), name: attachmentType}
		for alone, wrong := range map[bool]bool{true: false, false: true} {
			settings := map[string]any{"rate_limit": map[string]any{"coordination": "none"}}
			if m.said = nil; alone {
				m.configureAlone(settings)
			} else {
				m.configure(settings)
			}
			m.plan(engineers)
			m.plan(engineers)
			if m.failed() != wrong {
				t.Errorf("configured alone: %t; the second plan fails: %t\n%s", alone, m.failed(), m.words())
			}
		}
	})
}

// What another state, or a person, has attached is not attached once more.
func TestDoublesOfAnotherState(t *testing.T) {
	t.Parallel()
	service, _ := doubles(t, "a")
	other := newCLI(t, service)
	other.useFrom("TestDoubles", "b")
	other.plan().fails(there, `"pas-0001"`, `If a state holds it.*moved \{.*If no state holds it, import it`, `id = "pos-backend-london/pas-0001"`, "would delete it")
	noWrites(t, service)

	// The block as it is pasted does nothing; filled in, it imports.
	other.useFrom("TestDoubles", "pasted")
	other.plan().fails("")
	other.useFrom("TestDoubles", "imported")
	other.apply().ok()
	noWrites(t, service)
	other.plan().empty()
	assertAttached(t, service, 1)
}

func TestDoublesOtherMetadataWarns(t *testing.T) {
	t.Parallel()
	service, _ := doubles(t, "a")
	other := newCLI(t, service)
	other.useFrom("TestDoubles", "other_metadata")
	other.plan().plans("create assess_position_assessment.b").warns(there, "configured otherwise", "adds a second one", `import it: +import \{ to = <address> id = "pos-backend-london/pas-0001"`)
}

// Two in one plan that differ are both added, and the plan says so.
func TestDoublesInOnePlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		first, second := &managed{world: w, name: attachmentType}, &managed{world: w, name: attachmentType}
		w.begin(nil)
		first.plan(engineers)
		if said := w.words(); said != "" {
			t.Errorf("of one alone it is said: %s", said)
		}
		second.plan(managers)
		w.succeeds()
		w.warns("The same assessment twice", "configured otherwise", "candidates sit both")
	})
}

// A rename without a moved block is told the way, whichever of the two the CLI
// looks at first: refused, or warned of where the old one is known to go.
func TestDoublesRename(t *testing.T) {
	t.Parallel()
	service, c := doubles(t, "a")
	c.useFrom("TestDoubles", "b")
	r := c.plan()
	if r.code == 0 {
		r.warns(there, `moved \{`)
	} else {
		r.fails(there, `moved \{`)
	}
	noWrites(t, service)
	c.useFrom("TestDoubles", "moved")
	c.plan().ok().quiet()
	c.apply().ok()
	noWrites(t, service)
	c.plan().empty()
}

// Importing under a new address what the same plan destroys under the old one
// would remove it: refused, whichever comes first.
func TestDoublesImportWhileDestroyed(t *testing.T) {
	t.Parallel()
	service, c := doubles(t, "a")
	c.useFrom("TestDoubles", "imported")
	c.plan().fails("Cannot import what is about to be destroyed", `"pas-0001"`, `moved \{`)
	c.apply().fails("Cannot import what is about to be destroyed")
	noWrites(t, service)
	assertAttached(t, service, 1)
}

func TestDoublesReplace(t *testing.T) {
	t.Parallel()
	service, c := doubles(t, "a")
	c.apply("-replace=assess_position_assessment.a").ok()
	assertAttached(t, service, 1)
	service.AssertCount(t, http.MethodPost, "", 1)
	service.AssertCount(t, http.MethodDelete, "", 1)
	c.plan().empty().quiet()
}

// What is replaced is no double of its replacement, also where the service does
// not say how it is configured.
func TestDoublesTainted(t *testing.T) {
	t.Parallel()
	for name, hide := range map[string]bool{"service": false, "silent service": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Assumptions.MuteReads, o.Assumptions.MuteWrites = hide, hide })
			c := newCLI(t, service)
			c.useFrom("TestDoubles", "a")
			c.apply().ok().quiet()
			c.human("taint", "assess_position_assessment.a").ok()
			r := c.apply().ok().warns(there)
			if !strings.Contains(r.output, "If it is replaced, all is well") {
				t.Errorf("nothing is said of the replacement:\n%s", r.output)
			}
			assertAttached(t, service, 1)
			c.plan().empty().quiet()
		})
	}
}

func TestDoublesCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	service, c := doubles(t, "before_destroy")
	c.apply("-replace=assess_position_assessment.a").ok()
	assertAttached(t, service, 1)
	writes := service.Writes()
	if len(writes) != 2 || writes[0].Method != http.MethodPost || writes[1].Method != http.MethodDelete {
		t.Errorf("writes %+v, want a creation and then a removal", writes)
	}
	c.plan().empty().quiet()
}

// On a service that does not return what is configured nobody can tell whether
// it is the same (assumption A22).
func TestDoublesCannotSay(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute })
	c := newCLI(t, service)
	c.useFrom("TestDoubles", "a")
	c.apply().ok()
	other := newCLI(t, service)
	other.useFrom("TestDoubles", "b")
	other.plan().plans("create assess_position_assessment.b").warns("Cannot say whether the assessment is there already", `"pas-0001"`)
}

// beside plans to replace the assessment of the step "before_destroy", after
// something else that is added first.
func beside(t *testing.T) (*sandboxtest.Server, *cli) {
	t.Helper()
	service, c := doubles(t, "before_destroy")
	c.useFrom("TestDoubles", "beside")
	c.plan("-out=saved", "-replace=assess_position_assessment.a").ok()
	return service, c
}

// A saved plan whose replacement was refused is applied again, as it is.
func TestDoublesReplaceAgain(t *testing.T) {
	t.Parallel()
	service, c := doubles(t, "before_destroy")
	c.plan("-out=saved", "-replace=assess_position_assessment.a").ok()
	service.Inject(sandboxtest.Fault{Method: http.MethodPost, Status: http.StatusForbidden})
	c.do("apply", "-input=false", "saved").fails("Cannot add the assessment", "403")
	c.do("apply", "-input=false", "saved").ok()
	assertAttached(t, service, 1)
	c.plan().empty().quiet()
}

// What one workspace was about to replace is a double in another.
func TestDoublesOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	service, c := beside(t)
	c.human("workspace", "new", "other").ok()
	c.apply().fails(there, "configured the same")
	assertAttached(t, service, 1)
}

// Where the plan's notes are missing, the apply recognises nothing: what is about
// to be destroyed is not taken for what replaces it.
func TestDoublesReplaceElsewhere(t *testing.T) {
	t.Parallel()
	service, c := beside(t)
	c.env = append(c.env, "XDG_CACHE_HOME="+t.TempDir())
	service.Inject(sandboxtest.Fault{Method: http.MethodPost, Skip: 1, Status: http.StatusServiceUnavailable})
	c.do("apply", "-input=false", "saved").fails("Cannot tell whether the assessment was added", `"pas-0001"`, "may have been there before")
	service.AssertCount(t, http.MethodDelete, "", 0)
}

// A plan that cannot leave notes says so where its apply needs one.
func TestDoublesWithoutNotes(t *testing.T) {
	t.Parallel()
	_, c := doubles(t, "before_destroy")
	nowhere := filepath.Join(c.dir, "file")
	if err := os.WriteFile(nowhere, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.env = append(c.env, "XDG_CACHE_HOME="+nowhere)
	c.human("taint", "assess_position_assessment.a").ok()
	c.plan().ok().warns("Cannot note what is about to be replaced", `"pas-0001"`, "XDG_CACHE_HOME", "plan_checks = false")
}

// What is not known at plan may come to what is there: the plan says so.
func TestDoublesUnknownAtPlan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		first, second := &managed{world: w, name: attachmentType}, &managed{world: w, name: attachmentType}
		first.settle(engineers)
		w.begin(nil)
		first.refresh()
		first.plan(engineers)
		unknown := maps.Clone(engineers)
		unknown["benchmark"] = map[string]any{"id": tftypes.NewValue(tftypes.String, tftypes.UnknownValue)}
		second.plan(unknown)
		w.succeeds()
		w.warns("Cannot say whether the assessment is there already", `"pas-0001"`, "not known yet", "adds a second one")
	})
}
