// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
)

// attachChoices lists the assessments with what each of them can be configured with: all packages, at most one
// benchmark, profile or test.
func (st *State) attachChoices() (choices []formChoice) {
	for _, a := range st.Assessments {
		name, keys := cmp.Or(a.Name, a.ID), a.keys()
		if a.Kind != Skills {
			choices = append(choices, choiceOf(name, a.ID))
		}
		if slices.Contains(keys, keyBenchmark) {
			for _, b := range a.Benchmarks {
				text := name + ", benchmark " + cmp.Or(b.Name, b.ID)
				if b.Locale != "" {
					text += " (" + b.Locale + ")"
				}
				choices = append(choices, choiceOf(text, a.ID, keyBenchmark, b.ID))
			}
		}
		if slices.Contains(keys, keyProfile) {
			for _, p := range a.Profiles {
				choices = append(choices, choiceOf(name+", profile "+cmp.Or(p.Name, p.ID), a.ID, keyProfile, p.ID))
			}
		}
		for _, t := range a.SkillsTests {
			if t.Active() {
				choices = append(choices, choiceOf(name+", "+cmp.Or(t.Text("title"), t.ID()), a.ID, keyTests, t.ID()))
			}
		}
	}
	return choices
}

// attachAssessment attaches what [State.attachChoices] offers.
func attachAssessment(st *State, form url.Values) error {
	position, err := chosenPosition(st, form)
	if err != nil {
		return err
	}
	ids, _ := matchTemplate("/{assessment}/{key}/{id}", form.Get("what"))
	if ids == nil {
		ids, _ = matchTemplate("/{assessment}", form.Get("what"))
	}
	assessment := st.Assessment(ids["assessment"])
	if assessment == nil {
		return notFoundError("such assessment")
	}
	var metadata Metadata
	if assessment.Kind == MultiGameCognitive {
		for _, p := range assessment.Packages {
			metadata.Packages = append(metadata.Packages, p.ID)
		}
	}
	key := ids["key"]
	if key != "" && !slices.Contains(assessment.keys(), key) {
		return notFoundError("such configuration of this assessment")
	}
	switch key {
	case keyBenchmark:
		metadata.Benchmark = ids["id"]
	case keyProfile:
		metadata.Profile = ids["id"]
	case keyTests:
		metadata.Tests = []string{ids["id"]}
	}
	if err := metadata.check(assessment, position, Metadata{}); err != nil {
		return formError{http.StatusConflict, "The service refuses the assessment: " + err.Error() + "."}
	}
	_, err = st.Attach(position.ID, assessment.ID, metadata)
	return err
}

// removeAssessment removes a position assessment, unless candidates have been invited to it (removePositionAssessment
// of the contract).
func removeAssessment(st *State, form url.Values) error {
	ids := chosenIDs(form, "position", "id")
	position := st.Position(ids["position"])
	if position == nil || position.Assessment(ids["id"]) == nil {
		return notFoundError("such position assessment")
	}
	if position.invited(position.Assessment(ids["id"]).Assessment) > 0 {
		return formError{http.StatusConflict, "Candidates have been invited, so the service refuses the removal."}
	}
	position.Assessments = slices.DeleteFunc(position.Assessments, func(a PositionAssessment) bool {
		return a.ID == ids["id"]
	})
	return nil
}
