// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// What others do to the service.

// attachedTo picks a position assessment of the service, of all or of those that
// have a profile.
func attachedTo(r *rand.Rand, st *sandbox.State, profiles bool) (*sandbox.Position, *sandbox.PositionAssessment) {
	type found struct {
		p *sandbox.Position
		a *sandbox.PositionAssessment
	}
	var all []found
	for i := range st.Positions {
		p := &st.Positions[i]
		for k := range p.Assessments {
			if a := &p.Assessments[k]; !profiles || a.Metadata.ProfileStatus != "" {
				all = append(all, found{p, a})
			}
		}
	}
	f, _ := pick(r, all)
	return f.p, f.a
}

func (w *workspace) removedOutside(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		if p, a := attachedTo(r, st, false); p != nil {
			w.log("another removes %s from %s", a.ID, p.ID)
			p.Assessments = slices.DeleteFunc(p.Assessments, func(b sandbox.PositionAssessment) bool { return b.ID == a.ID })
		}
	})
}

func (w *workspace) positionDeleted(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		if len(st.Positions) > 2 {
			i := r.IntN(len(st.Positions))
			w.log("another deletes the position %s", st.Positions[i].ID)
			st.Positions = slices.Delete(st.Positions, i, i+1)
		}
	})
}

func (w *workspace) benchmarkRetired(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		a := st.Assessment(benchmarked)
		if a != nil && len(a.Benchmarks) > 0 {
			i := r.IntN(len(a.Benchmarks))
			w.log("the benchmark %s is retired", a.Benchmarks[i].ID)
			a.Benchmarks = slices.Delete(a.Benchmarks, i, i+1)
		}
	})
}

// assessmentRetired retires an assessment: it is in no position any more.
func (w *workspace) assessmentRetired(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		id := []string{alsoPlain, onlyBench, alsoProfiled}[r.IntN(3)]
		w.log("the assessment %s is retired", id)
		st.Assessments = slices.DeleteFunc(st.Assessments, func(a sandbox.Assessment) bool { return a.ID == id })
		for i := range st.Positions {
			p := &st.Positions[i]
			p.Assessments = slices.DeleteFunc(
				p.Assessments,
				func(a sandbox.PositionAssessment) bool { return a.Assessment == id },
			)
		}
		w.retired = true
	})
}

func (w *workspace) packageAdded(*rand.Rand) {
	w.change(func(st *sandbox.State) {
		a := st.Assessment(packaged)
		id := fmt.Sprintf("pkg-%d", len(a.Packages)+1)
		a.Packages = append(a.Packages, sandbox.Package{ID: id, Name: id})
		w.log("the service offers the package %s", id)
	})
}

// ignorePackages lets the service offer another package after the user has told the
// CLI to ignore changes of selected packages.
func (w *workspace) ignorePackages(r *rand.Rand) {
	for _, name := range sortedNames(w.items) {
		if i := w.items[name]; i.selected != "" {
			i.ignored = []string{"packages"}
			w.log("now %s", i)
		}
	}
	w.packageAdded(r)
}

func (w *workspace) drift(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		p, a := attachedTo(r, st, false)
		if p == nil {
			return
		}
		switch assessment := st.Assessment(a.Assessment); {
		case len(assessment.Packages) > 0:
			a.Metadata.Packages = []string{"pkg-1", "pkg-2", "pkg-4"}
		case len(assessment.SkillsTests) > 0:
			a.Metadata.Tests = []string{"skt-0", "skt-3"}
		case len(assessment.Benchmarks) > 0 && a.Metadata.Benchmark == "":
			a.Metadata.Benchmark = assessment.Benchmarks[0].ID
		case a.Metadata.Benchmark != "":
			a.Metadata.Benchmark = ""
		}
		w.log("another configures %s of %s", a.ID, p.ID)
	})
}

func (w *workspace) supervise(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		if p, a := attachedTo(r, st, true); p != nil && st.CompleteProfile(p.ID, a.ID) == nil {
			w.log("a supervisor completes the profile of %s of %s", a.ID, p.ID)
		}
	})
}

func (w *workspace) disableTest(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		if a := st.Assessment(tested); a != nil {
			t := &a.SkillsTests[r.IntN(len(a.SkillsTests))]
			w.log("another disables %s", t.ID())
			t.Set("active", false)
		}
	})
}

// attachedOutside attaches what may be the same as something wanted.
func (w *workspace) attachedOutside(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		position, assessment := st.Positions[r.IntN(len(st.Positions))].ID, []string{plainly, benchmarked}[r.IntN(2)]
		if i := w.any(r); i != nil && r.IntN(2) == 0 && i.unacceptable(st, w.activations) == "" {
			position, assessment = i.position, i.assessment
		}
		id, err := st.Attach(position, assessment, sandbox.Metadata{})
		if err == nil {
			w.foreign[id] = true
			w.log("another attaches %s to %s: %s", assessment, position, id)
		}
	})
}
