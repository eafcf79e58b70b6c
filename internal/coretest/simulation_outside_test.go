// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// These operations change the service outside the workspace.

// attachedTo picks a position assessment of the service. If profiles is set, it picks
// only from those with a profile.
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
			w.log("others remove %s from %s", a.ID, p.ID)
			p.Assessments = slices.DeleteFunc(p.Assessments, func(b sandbox.PositionAssessment) bool { return b.ID == a.ID })
		}
	})
}

func (w *workspace) positionDeleted(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		if len(st.Positions) > 2 {
			i := r.IntN(len(st.Positions))
			w.log("others delete the position %s", st.Positions[i].ID)
			st.Positions = slices.Delete(st.Positions, i, i+1)
		}
	})
}

func (w *workspace) benchmarkRetired(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		a := st.Assessment(asmBenchmark)
		if a != nil && len(a.Benchmarks) > 0 {
			i := r.IntN(len(a.Benchmarks))
			w.log("the benchmark %s is retired", a.Benchmarks[i].ID)
			a.Benchmarks = slices.Delete(a.Benchmarks, i, i+1)
		}
	})
}

// assessmentRetired retires an assessment. All its position assessments disappear.
func (w *workspace) assessmentRetired(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		id := []string{asmPlain2, asmBenchOnly, asmProfile2}[r.IntN(3)]
		w.log("the assessment %s is retired", id)
		st.Assessments = slices.DeleteFunc(st.Assessments, func(a sandbox.Assessment) bool { return a.ID == id })
		for i := range st.Positions {
			p := &st.Positions[i]
			isIt := func(a sandbox.PositionAssessment) bool { return a.Assessment == id }
			p.Assessments = slices.DeleteFunc(p.Assessments, isIt)
		}
		w.retired = true
	})
}

func (w *workspace) packageAdded(*rand.Rand) {
	w.change(func(st *sandbox.State) {
		a := st.Assessment(asmPackages)
		id := fmt.Sprintf("pkg-%d", len(a.Packages)+1)
		a.Packages = append(a.Packages, sandbox.Package{ID: id, Name: id})
		w.log("the service offers the package %s", id)
	})
}

// ignorePackages sets ignore_changes after all packages were selected, and then the service offers another package.
func (w *workspace) ignorePackages(r *rand.Rand) {
	each := func(change func(i *item)) {
		for _, name := range sortedNames(w.items) {
			if i := w.items[name]; i.assessment == asmPackages {
				change(i)
				w.log("now %s", i)
			}
		}
	}
	each(func(i *item) { i.packages, i.selected = nil, "all" })
	w.run(w.options(r), events{})
	each(func(i *item) { i.ignored = []string{"packages"} })
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
		w.log("others configure %s of %s", a.ID, p.ID)
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
		if a := st.Assessment(asmTests); a != nil {
			t := &a.SkillsTests[r.IntN(len(a.SkillsTests))]
			w.log("others disable %s", t.ID())
			t.Set("active", false)
		}
	})
}

// attachedOutside attaches a position assessment that may duplicate a configured one.
func (w *workspace) attachedOutside(r *rand.Rand) {
	w.change(func(st *sandbox.State) {
		m := sandbox.Metadata{}
		position, assessment := st.Positions[r.IntN(len(st.Positions))].ID, []string{asmPlain, asmBenchmark}[r.IntN(2)]
		if i := w.anyItem(r); i != nil && r.IntN(2) == 0 && i.unacceptable(st, w.activations) == "" {
			position, assessment = i.position, i.assessment
			m = sandbox.Metadata{Packages: i.resolved(st), Tests: i.tests} // required, where the assessment has them
		}
		id, err := st.Attach(position, assessment, m)
		if err == nil {
			w.foreign[id] = true
			w.log("others attach %s to %s: %s", assessment, position, id)
		}
	})
}
