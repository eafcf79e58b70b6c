// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// holder is an object of the state as the service would compare it.
type holder struct{ id, addr, alias, key string }

// holders returns the objects of the state by position and assessment, with the addresses
// that moved blocks give them.
func (w *workspace) holders() map[string][]holder {
	all := map[string][]holder{}
	for _, addr := range w.core.State.Addresses() {
		i := w.core.State.Instances[addr]
		if !strings.HasPrefix(addr, "assess_position_assessment.") {
			continue
		}
		for _, m := range w.moved {
			if m.From == addr {
				addr = m.To
			}
		}
		for _, o := range append(slices.Clone(i.Deposed), i.Current) {
			if o != nil {
				place := coretest.Text(o.Value, "position_id") + " " + coretest.Text(o.Value, "assessment_id")
				all[place] = append(all[place], holder{coretest.Text(o.Value, "id"), addr, i.Provider, stateKey(o.Value)})
			}
		}
	}
	return all
}

// stateKey returns [keyOf] for a resource in the state.
func stateKey(resource tftypes.Value) string {
	texts := func(block, name string) (texts []string) {
		at := tftypes.NewAttributePath().WithAttributeName(block).WithAttributeName(name)
		found, _, _ := tftypes.WalkAttributePath(resource, at) // fails if the block is absent
		v, _ := found.(tftypes.Value)
		var all []tftypes.Value
		if v.As(&all) != nil {
			all = []tftypes.Value{v}
		}
		for _, element := range all {
			var text *string
			if element.As(&text) == nil && text != nil {
				texts = append(texts, *text)
			}
		}
		return texts
	}
	return keyOf(coretest.Text(resource, "position_id"), coretest.Text(resource, "assessment_id"), sandbox.Metadata{
		Packages: texts("packages", "ids"), Tests: texts("tests", "ids"),
		Benchmark: strings.Join(texts("benchmark", "id"), ""), Profile: strings.Join(texts("profile", "id"), ""),
	})
}

// refusable returns why the plan of the current configuration may be refused, or "" if
// it must not be. Lost objects that a refresh finds may always be planned again, although
// the apply may fail.
func (w *workspace) refusable(o coretest.Options) string {
	if w.namesActivatedTest() {
		return "a test ID is literal, and core may plan it before its activation"
	}
	return w.failable(o, o.Refresh != coretest.NoRefresh)
}

// namesActivatedTest reports whether an item needs an activation and does not refer to it.
func (w *workspace) namesActivatedTest() bool {
	st := w.serviceState()
	return slices.ContainsFunc(w.wanted(), func(i item) bool {
		return i.literal && i.unacceptable(st, w.activations) == "" && i.unacceptable(st, nil) != ""
	})
}

// failable returns why the apply of the current configuration may fail, or "" if it must
// not, once its plan was accepted. It does not count lost objects if a refresh finds them.
func (w *workspace) failable(o coretest.Options, refreshed bool) string {
	if w.refusalReason != "" {
		return w.refusalReason
	}
	if w.retired {
		return "an assessment was retired"
	}
	if w.unchecked && w.namesActivatedTest() {
		return "the plan does not check test IDs"
	}
	st, held, holders := w.serviceState(), w.idsInState(), w.holders()
	present, supervised := map[string][]string{}, map[string]bool{}
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			if !held[a.ID] {
				key := keyOf(p.ID, a.Assessment, a.Metadata)
				present[key] = append(present[key], a.ID)
			}
			if a.Metadata.ProfileStatus == sandbox.SupervisorCompleted {
				supervised[p.ID+a.Assessment] = true
			}
		}
	}
	for _, i := range w.wanted() {
		for _, h := range holders[i.position+" "+i.assessment] {
			if why := w.collides(i, h, o, st); why != "" {
				return why
			}
		}
		if refreshed && w.gone(i, st) {
			continue
		}
		if why := i.unacceptable(st, w.activations); why != "" {
			return i.name + ": " + why
		}
		if ids := present[i.key(i.resolved(st))]; len(ids) > 0 &&
			(!w.mustAdopt(i, ids) || supervised[i.position+i.assessment]) {
			return fmt.Sprintf("%s duplicates %v, which is not in the state", i.name, ids)
		}
		if i.profile != "" && supervised[i.position+i.assessment] {
			return i.name + ": a supervisor has completed the profile"
		}
		if i.selected == "mandatory" && (w.assumptions.PackageMark == "none" || w.assumptions.RefuseFields == "bare") {
			return i.name + ": the service does not show which packages are mandatory"
		}
	}
	for test := range w.activations {
		if st.Assessment(asmTests) == nil || st.Assessment(asmTests).SkillsTest(test) == nil {
			return "no such test"
		}
	}
	return ""
}

// mustAdopt reports whether a run must take a position assessment outside the state into the
// state instead of refusing a creation: with adopt_existing, if it is the only one that is
// equal, and if the plan can compare the two.
func (w *workspace) mustAdopt(i item, ids []string) bool {
	return w.adopts && len(ids) == 1 && w.canRecover() && !i.later && !i.vague && !w.blind(i.alias)
}

// collides returns why an item may be refused because of an object of the state on the
// same position. The run must know this object, unless core plans one resource at a time,
// skips some resources, or asks two providers.
func (w *workspace) collides(i item, h holder, o coretest.Options, st *sandbox.State) string {
	if h.addr == i.addr() && len(w.core.State.Instances[w.movedFrom(i.addr())].Deposed) == 0 {
		return ""
	}
	own := w.core.State.Instances[w.movedFrom(i.addr())].Current
	created := own == nil || own.Tainted
	if created && (o.Parallelism == 1 || len(o.Targets) > 0 || h.alias != i.alias) {
		return fmt.Sprintf("%s has the same position and assessment as %s", i.name, h.addr)
	}
	for _, other := range w.wanted() {
		if other.addr() == h.addr && h.addr != i.addr() && other.key(other.resolved(st)) == i.key(i.resolved(st)) {
			return fmt.Sprintf("%s is a copy of %s", i.name, h.addr)
		}
	}
	return ""
}
