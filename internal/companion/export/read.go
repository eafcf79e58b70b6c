// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// readAttached lists the assessments of a position. An element that lacks what a configuration needs is fetched
// (assumption A7).
func readAttached(ctx context.Context, service *run.Run, position string) ([]assessapi.PositionAssessment, error) {
	list, err := service.Attached.List(ctx, position)
	if assessapi.IsNoList(err) { // the service lists the position
		return nil, fmt.Errorf("%w: %w", errNoList, err)
	}
	if err != nil {
		return nil, err
	}
	attached := slices.Clone(list.Elements)
	for i, element := range attached {
		pa, err := readWhole(ctx, service, position, element)
		switch {
		case err != nil:
			return nil, err
		case assessmentOf(pa) == "":
			return nil, &assessapi.ShapeError{
				Method: http.MethodGet, Address: fmt.Sprintf("/positions/%s/assessments/%s", position, pa.ID),
				Problem: `it has no "organizationAssessment"`,
			}
		}
		attached[i] = pa
	}
	return attached, nil
}

// readWhole returns a position assessment with all that the service shows of its configuration.
func readWhole(
	ctx context.Context, service *run.Run, position string, element assessapi.PositionAssessment,
) (assessapi.PositionAssessment, error) {
	m := element.Metadata
	status, _ := m.ProfileStatus.Get()
	switch {
	case assessmentOf(element) == "" || !element.HasMetadata,
		status == assessapi.ProfileAttached && !m.Profile.Shown:
		return service.Client.PositionAssessment(ctx, position, element.ID)
	case m.ProfileStatus.Shown:
		return element, nil
	}
	// One fetch in a run shows whether position assessments of this assessment have profiles.
	hasProfiles, err := service.Reads.HasProfiles(ctx, assessmentOf(element), func(ctx context.Context) (bool, error) {
		fetched, err := service.Client.PositionAssessment(ctx, position, element.ID)
		_, has := fetched.Metadata.ProfileStatus.Get()
		return has, err
	})
	if err != nil || !hasProfiles {
		return element, err
	}
	return service.Client.PositionAssessment(ctx, position, element.ID)
}

// assessmentOf returns the ID of the assessment, or "" if it is not shown.
func assessmentOf(pa assessapi.PositionAssessment) string {
	id, _ := pa.AssessmentID.Get()
	return id
}

func idsOf(member assessapi.Member[[]string]) []string {
	ids, _ := member.Get()
	return ids
}

// block is a block of a configuration that services may not show (assumption A22).
type block struct {
	name    string
	isShown func(assessapi.Metadata) bool
	accepts func(ctx context.Context, assessment string) (bool, error) // whether an assessment has options for it
}

func blocksOf(service *run.Run) []block {
	has := func(kind assessapi.Kind) func(context.Context, string) (bool, error) {
		return func(ctx context.Context, assessment string) (bool, error) {
			items, err := service.Lists.Items(ctx, kind, assessment)
			return len(items) > 0, err
		}
	}
	hasTests := func(ctx context.Context, assessment string) (bool, error) {
		enabled, err := service.Lists.SkillsTests(ctx, assessment, true)
		if len(enabled) > 0 || err != nil {
			return len(enabled) > 0, err
		}
		disabled, err := service.Lists.SkillsTests(ctx, assessment, false)
		return len(disabled) > 0, err
	}
	return []block{
		{"packages", func(m assessapi.Metadata) bool { return m.Packages.Shown }, has(assessapi.Packages)},
		{"benchmark", func(m assessapi.Metadata) bool { return m.Benchmark.Shown }, has(assessapi.Benchmarks)},
		{"tests", func(m assessapi.Metadata) bool { return m.Tests.Shown }, hasTests},
	}
}

// hiddenBlocks returns the blocks that the service may hide, by the ID of their assessment: no position assessment
// shows them, but the assessment accepts them, or does not say whether it does.
func hiddenBlocks(
	ctx context.Context, service *run.Run, positions []positionContents,
) (hidden map[string][]string, err error) {
	hidden = map[string][]string{}
	for _, b := range blocksOf(service) {
		assessments, isShown := map[string]bool{}, false
		for _, p := range positions {
			for _, pa := range p.attached {
				assessments[assessmentOf(pa)] = true
				isShown = isShown || b.isShown(pa.Metadata)
			}
		}
		if isShown {
			continue
		}
		for assessment := range assessments {
			accepts, err := b.accepts(ctx, assessment)
			switch {
			case b.name != "benchmark" && assessapi.IsOtherKind(err): // assumption A23
			case assessapi.IsNoList(err), isForbidden(err), err == nil && accepts:
				hidden[assessment] = append(hidden[assessment], b.name)
			case err != nil:
				return nil, err
			}
		}
	}
	return hidden, nil
}

// isForbidden reports whether a list cannot be read because the API key does not have the right to read it.
func isForbidden(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && failed.Status == http.StatusForbidden
}
