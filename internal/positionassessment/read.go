// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// ref identifies a position assessment (section 4.3 of the specification).
type ref struct{ Position, ID string }

// prior is what a state knows about a position assessment before a read. After an import, it is empty.
type prior struct {
	Assessment string
	Status     string // of the profile
	URL        bool   // whether the state keeps the address of the profile
}

// errGone means that reads show together that a position assessment no longer exists.
var errGone = errors.New("the position assessment is gone")

// read reads a position assessment. The list of its position, which is read once in a run, suffices if its element
// shows what the state needs. Only the fetch of one position assessment is specified (section 4.3), so it is fetched if
// the element lacks something (assumption A7). read returns errGone if reads show together that it no longer exists.
func read(ctx context.Context, r *run.Run, at ref, before prior) (pa assessapi.PositionAssessment, err error) {
	listed := false
	if !r.Reads.SkipsLists() {
		list, err := r.Attached.List(ctx, at.Position)
		i := slices.IndexFunc(list.Elements, func(pa assessapi.PositionAssessment) bool { return pa.ID == at.ID })
		switch listed = err == nil && i >= 0; {
		case listed:
			pa = list.Elements[i]
			enough, err := suffices(ctx, r, at, pa, before)
			if err != nil || enough {
				r.Reads.Listed(at.Position)
				return pa, err
			}
		case err != nil && !lacksList(err):
			return pa, err
		}
	}
	fetched, err := fetch(ctx, r, at)
	switch {
	case err == nil:
		if listed && !pa.HasMetadata && fetched.HasMetadata {
			r.Reads.PoorList()
		}
		return fetched, checkSpelling(before.Assessment, fetched)
	case assessapi.IsNotFound(err) && before.Assessment != "":
		return pa, confirmGone(ctx, r, at, before.Assessment, err)
	}
	return pa, err
}

// fetch reads one position assessment (section 4.3).
func fetch(ctx context.Context, r *run.Run, at ref) (assessapi.PositionAssessment, error) {
	pa, err := r.Client.PositionAssessment(ctx, at.Position, at.ID)
	if err == nil {
		r.Reads.Fetched(at.Position)
	}
	return pa, err
}

// suffices reports whether an element of a list shows all that a state needs.
func suffices(
	ctx context.Context, r *run.Run, at ref, element assessapi.PositionAssessment, before prior,
) (bool, error) {
	assessment, ok := element.AssessmentID.Get()
	if !ok || !element.HasMetadata {
		return false, nil
	}
	if err := checkSpelling(before.Assessment, element); err != nil {
		return false, err
	}
	m := element.Metadata
	status, hasStatus := m.ProfileStatus.Get()
	if !m.ProfileStatus.Shown && before.Status != "" {
		return false, nil
	}
	if !m.ProfileStatus.Shown {
		// One fetch in a run shows whether position assessments of this assessment have profiles.
		has, err := r.Reads.HasProfiles(ctx, assessment, func(ctx context.Context) (bool, error) {
			fetched, err := fetch(ctx, r, at)
			_, has := fetched.Metadata.ProfileStatus.Get()
			return has, err
		})
		if assessapi.IsNotFound(err) {
			return false, nil // read fetches it again, and decides what that means
		}
		return !has, err
	}
	url := m.ProfileURL.Shown || !before.URL || !hasStatus
	profile := m.Profile.Shown || status != assessapi.ProfileAttached
	return url && profile, nil
}

// lacksList reports whether an error may mean that the service does not list the assessments of a position, so that the
// fetch decides.
func lacksList(err error) bool { return assessapi.IsNotFound(err) || assessapi.IsNotOffered(err) }

// checkSpelling returns an error if the service spells the assessment of a position assessment with other upper and
// lower case than the state. Comparing such IDs would replace the resource in each run.
func checkSpelling(known string, pa assessapi.PositionAssessment) error {
	shown, ok := pa.AssessmentID.Get()
	if !ok || known == "" || shown == known || !strings.EqualFold(shown, known) {
		return nil
	}
	return fmt.Errorf("position assessment %q has the assessment %q, and the configuration or the state spells it %q. Use "+
		"one spelling", pa.ID, shown, known)
}
