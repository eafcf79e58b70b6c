// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"slices"
)

func showOverview(v *visit) error {
	return v.look(func(st *State) error {
		// Positions that show something come before the others.
		slices.SortStableFunc(st.Positions, func(a, b Position) int {
			return cmp.Or(
				cmp.Compare(len(b.Candidates), len(a.Candidates)), cmp.Compare(len(b.Assessments), len(a.Assessments)))
		})
		return v.render("overview", st)
	})
}

// setting is one key of the metadata with its ids.
type setting struct {
	Key string
	IDs []string
}

// Settings lists the keys that are set.
func (m Metadata) Settings() []setting {
	settings := []setting{}
	for _, s := range []setting{
		{keyPackages, m.Packages},
		{keyBenchmark, []string{m.Benchmark}},
		{keyProfile, []string{m.Profile}},
		{keyTests, m.Tests},
	} {
		if len(s.IDs) > 0 && s.IDs[0] != "" {
			settings = append(settings, s)
		}
	}
	return settings
}

// AssessmentName returns the name of an assessment, or its id if it has no name.
func (st *State) AssessmentName(id string) string {
	if assessment := st.Assessment(id); assessment != nil {
		return cmp.Or(assessment.Name, id)
	}
	return id
}
