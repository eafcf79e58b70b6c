// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"slices"
	"time"
)

// gauge is the used part of a rate limit.
type gauge struct {
	Name        string
	Used, Limit int
}

// High returns the value from which the gauge shows a warning.
func (g gauge) High() int { return g.Limit * 4 / 5 }

// routeView is a route on the overview.
type routeView struct {
	Method, Route string
	routeCount
}

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
		return v.render("overview", struct {
			BaseURL   string
			NoLimits  bool
			Gauges    []gauge
			Routes    []routeView
			Positions []positionView
		}{
			v.service.originOf(v.request) + basePath, v.service.options.NoLimits,
			st.Windows.gauges(time.Now()), routeViews(v.service.traffic.totals()), st.positionViews(),
		})
	})
}

// gauges returns the rate limits.
func (w Windows) gauges(now time.Time) []gauge {
	gauges := []gauge{}
	for _, window := range []struct {
		name   string
		times  []time.Time
		limits []Limit
	}{
		{"Requests", w.Requests, requestLimits},
		{"Requests for results", w.Results, resultsLimits},
	} {
		for _, limit := range window.limits {
			frame := " in the last minute"
			if limit.Frame == time.Second {
				frame = " in the last second"
			}
			gauges = append(gauges, gauge{window.name + frame, inFrame(window.times, limit.Frame, now), limit.Requests})
		}
	}
	return gauges
}

// routeViews sorts by route and method.
func routeViews(counts map[routeKey]routeCount) []routeView {
	views := []routeView{}
	for key, count := range counts {
		views = append(views, routeView{key.method, cmp.Or(key.route, "(no such route)"), count})
	}
	slices.SortFunc(views, func(a, b routeView) int {
		return cmp.Or(cmp.Compare(a.Route, b.Route), cmp.Compare(a.Method, b.Method))
	})
	return views
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
