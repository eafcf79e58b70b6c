// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// names are the names that this run has read, for messages. They cost no request:
// what has not been read has no name.
type names struct{ known sync.Map } // namedThing to string

// namedThing is an id, and the list of the service that it is from.
type namedThing struct{ list, id string }

// Lists that ids are from. Those of an assessment end with its id.
const (
	assessmentNames = "assessments"
	positionNames   = "positions"
	profileNames    = "profiles "
	testNames       = "skills tests "
)

// learn stores the names of what has been read.
func learn[T assessapi.Labeled](n *names, list string, read []T) {
	for _, element := range read {
		if l := element.Label(); l.Name != "" {
			n.known.Store(namedThing{list, l.ID}, l.Name)
		}
	}
}

// learning is a read that stores the names of what it returns.
func learning[T assessapi.Labeled](
	n *names, list string, read func(context.Context) ([]T, error),
) func(context.Context) ([]T, error) {
	return func(ctx context.Context) ([]T, error) {
		all, err := read(ctx)
		learn(n, list, all)
		return all, err
	}
}

// label returns an id with its name. An engine that is not configured knows none.
func (e *Engine) label(list, id string) assessapi.Label {
	l := assessapi.Label{ID: id}
	if e != nil {
		if name, ok := e.names.known.Load(namedThing{list, id}); ok {
			l.Name, _ = name.(string)
		}
	}
	return l
}

// AssessmentLabel returns the id of an assessment, and its name if this run has
// read it.
func (e *Engine) AssessmentLabel(id string) assessapi.Label { return e.label(assessmentNames, id) }

// PositionLabel returns the id of a position, and its title if this run has read it.
func (e *Engine) PositionLabel(id string) assessapi.Label { return e.label(positionNames, id) }

// ProfileLabel returns the id of a profile, and its name if this run has read it.
func (e *Engine) ProfileLabel(assessment, id string) assessapi.Label {
	return e.label(profileNames+assessment, id)
}

// SkillsTestLabel returns the id of a skills test, and its title if this run has
// read it.
func (e *Engine) SkillsTestLabel(ref TestRef) assessapi.Label {
	return e.label(testNames+ref.Assessment, ref.Test)
}
