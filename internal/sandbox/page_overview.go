// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"slices"
)

// positionView is a position on the overview.
type positionView struct {
	ID, Title, Locale string
	Candidates        int
	ResultsPath       string
	Assessments       []attachedView
}

// attachedView is a position assessment on the overview.
type attachedView struct {
	ID, Name    string
	Settings    []setting
	Status      string // of the profile; "" if the assessment has no profile
	ProfilePath string
}

// setting is one key of the metadata with its ids.
type setting struct {
	Key string
	IDs []string
}

func showOverview(v *visit) error {
	return v.look(func(st *State) error {
		return v.render("overview", struct{ Positions []positionView }{st.positionViews()})
	})
}

func (st *State) positionViews() []positionView {
	views := []positionView{}
	for _, position := range st.Positions {
		view := positionView{
			ID: position.ID, Title: cmp.Or(position.Title, position.ID), Locale: position.Locale,
			Candidates: len(position.Candidates), ResultsPath: joinPath("report", position.ID),
		}
		for _, attached := range position.Assessments {
			view.Assessments = append(view.Assessments, attachedView{
				ID: attached.ID, Name: st.assessmentName(attached.Assessment),
				Settings: attached.Metadata.settings(), Status: attached.Metadata.ProfileStatus,
				ProfilePath: joinPath("profile", position.ID, attached.ID),
			})
		}
		views = append(views, view)
	}
	// Positions that show something come before the others.
	slices.SortStableFunc(views, func(a, b positionView) int {
		return cmp.Or(cmp.Compare(b.Candidates, a.Candidates), cmp.Compare(len(b.Assessments), len(a.Assessments)))
	})
	return views
}

// settings lists the keys that are set.
func (m Metadata) settings() []setting {
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

// assessmentName returns the name of an assessment, or its id if it has no name.
func (st *State) assessmentName(id string) string {
	if assessment := st.Assessment(id); assessment != nil {
		return cmp.Or(assessment.Name, id)
	}
	return id
}
