// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// names stores the names that this run has read, for messages. It sends no requests, so
// the name of a resource that was not read is unknown.
type names struct{ known sync.Map } // namedID to string

// namedID is an id with the list of the service that contains it.
type namedID struct{ list, id string }

// Lists that contain ids. The id of the assessment follows the last two.
const (
	assessmentNames = "assessments"
	positionNames   = "positions"
	profileNames    = "profiles "
	testNames       = "skills tests "
)

// learn stores the names of resources that were read.
func learn[T assessapi.Labeled](n *names, list string, read []T) {
	for _, element := range read {
		if l := element.Label(); l.Name != "" {
			n.known.Store(namedID{list, l.ID}, l.Name)
		}
	}
}

// learning returns a function that reads a list and stores its names.
func learning[T assessapi.Labeled](
	n *names, list string, read func(context.Context) ([]T, error),
) func(context.Context) ([]T, error) {
	return func(ctx context.Context) ([]T, error) {
		all, err := read(ctx)
		learn(n, list, all)
		return all, err
	}
}

// label returns an id with its name. It also works for a provider without an engine,
// which knows no names.
func (e *Engine) label(list, id string) assessapi.Label {
	l := assessapi.Label{ID: id}
	if e != nil {
		if name, ok := e.names.known.Load(namedID{list, id}); ok {
			l.Name, _ = name.(string)
		}
	}
	return l
}

// AssessmentLabel returns the id of an assessment, with its name if this run has read it.
func (e *Engine) AssessmentLabel(id string) assessapi.Label { return e.label(assessmentNames, id) }

// PositionLabel returns the id of a position, with its title if this run has read it.
func (e *Engine) PositionLabel(id string) assessapi.Label { return e.label(positionNames, id) }

// ProfileLabel returns the id of a profile, with its name if this run has read it.
func (e *Engine) ProfileLabel(assessment, id string) assessapi.Label {
	return e.label(profileNames+assessment, id)
}

// SkillsTestLabel returns the id of a skills test, with its title if this run has read
// it.
func (e *Engine) SkillsTestLabel(ref TestRef) assessapi.Label {
	return e.label(testNames+ref.Assessment, ref.Test)
}
