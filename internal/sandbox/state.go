// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// stateVersion is the version of the stored state. Increase it if this program could misinterpret a state that an
// earlier version of the program wrote.
const stateVersion = 1

// State is everything that the service stores. It is plain data that JSON represents
// without loss. The service keeps the order of all elements.
type State struct {
	Version       int          `json:"version"`       // 0 means the current version, but is an error in a file
	LastID        uint64       `json:"lastId"`        // the counter for new ids
	Conversations uint64       `json:"conversations"` // the counter for Conversation-Id
	Windows       Windows      `json:"windows"`
	Assessments   []Assessment `json:"assessments"`
	Positions     []Position   `json:"positions"`
}

// Position is a vacancy that candidates apply for.
type Position struct {
	ID          string               `json:"id"`
	Title       string               `json:"title"`
	Locale      string               `json:"locale"` // if "", responses omit it and any benchmark is accepted
	Assessments []PositionAssessment `json:"assessments,omitempty"`
	Candidates  []Candidate          `json:"candidates,omitempty"`
	Extra       Object               `json:"extra,omitempty"`
}

// PositionAssessment is an assessment attached to a position (attachAssessment).
type PositionAssessment struct {
	ID         string   `json:"id"`
	Assessment string   `json:"assessment"` // "organizationAssessment" in responses
	Metadata   Metadata `json:"metadata"`
	Extra      Object   `json:"extra,omitempty"`
}

// Metadata is the extra configuration of a position assessment (attachAssessment).
type Metadata struct {
	Packages      []string `json:"packages,omitempty"`
	Benchmark     string   `json:"benchmark,omitempty"`
	Profile       string   `json:"profile,omitempty"`
	ProfileStatus string   `json:"profileStatus,omitempty"`
	Tests         []string `json:"tests,omitempty"`
	Extra         Object   `json:"extra,omitempty"`
}

// The values of [Metadata.ProfileStatus] (getPositionAssessment).
const (
	SupervisorToComplete = "SUPERVISOR_TO_COMPLETE"
	SupervisorCompleted  = "SUPERVISOR_COMPLETED"
	ProfileAttached      = "PROFILE_ATTACHED"
)

// Candidate is a person on a position (listResults).
type Candidate struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Results []Result `json:"results,omitempty"`
	Extra   Object   `json:"extra,omitempty"`
}

// Result is a candidate's result in an assessment to which the candidate was invited (listResults). It has no
// percentile, classification or validity until an invitation is completed.
type Result struct {
	Assessment     string       `json:"assessment"`
	Percentile     *float64     `json:"percentile"`
	Classification string       `json:"classification,omitempty"`
	Validity       string       `json:"validity,omitempty"`
	Invitations    []Invitation `json:"invitations"`
	Extra          Object       `json:"extra,omitempty"`
}

// Invitation is a candidate's invitation to one sitting (listResults).
type Invitation struct {
	ID        string     `json:"id"`
	Type      string     `json:"type"`
	Status    string     `json:"status"`
	Expiry    string     `json:"expiry"` // YYYY-MM-DD
	Created   time.Time  `json:"created"`
	Completed *time.Time `json:"completed"`
	Extra     Object     `json:"extra,omitempty"`
}

// The types and the statuses of an [Invitation] (listResults).
const (
	Remote     = "REMOTE"
	Supervised = "SUPERVISED"

	Invited           = "INVITED"
	InProgress        = "IN_PROGRESS"
	TestedWithResults = "TESTED_WITH_RESULTS"
	Expired           = "EXPIRED"
)

// NextID returns a new identifier that consists of the prefix and a counter.
func (st *State) NextID(prefix string) string {
	st.LastID++
	return fmt.Sprintf("%s-%04d", prefix, st.LastID)
}

// findElement returns the element with an id, or nil.
func findElement[T any](elements []T, id string, idOf func(*T) string) *T {
	for i := range elements {
		if idOf(&elements[i]) == id {
			return &elements[i]
		}
	}
	return nil
}

// Assessment returns the assessment with an id, or nil.
func (st *State) Assessment(id string) *Assessment {
	return findElement(st.Assessments, id, func(a *Assessment) string { return a.ID })
}

// AssessmentName returns the name of an assessment, or its id if it has no name.
func (st *State) AssessmentName(id string) string {
	if assessment := st.Assessment(id); assessment != nil && assessment.Name != "" {
		return assessment.Name
	}
	return id
}

// Position returns the position with an id, or nil.
func (st *State) Position(id string) *Position {
	return findElement(st.Positions, id, func(p *Position) string { return p.ID })
}

// Assessment returns the position assessment with an id, or nil.
func (p *Position) Assessment(id string) *PositionAssessment {
	return findElement(p.Assessments, id, func(a *PositionAssessment) string { return a.ID })
}

// Attached returns the position and the position assessment with these ids. Each of them is nil if it does not exist.
func (st *State) Attached(positionID, id string) (*Position, *PositionAssessment) {
	position := st.Position(positionID)
	if position == nil {
		return nil, nil
	}
	return position, position.Assessment(id)
}

// candidate returns the candidate with an id, or nil.
func (p *Position) candidate(id string) *Candidate {
	return findElement(p.Candidates, id, func(c *Candidate) string { return c.ID })
}

// Result returns the candidate's result in an assessment, or nil.
func (c *Candidate) Result(assessment string) *Result {
	return findElement(c.Results, assessment, func(r *Result) string { return r.Assessment })
}

// Package returns the package with an id, or nil.
func (a *Assessment) Package(id string) *Package {
	return findElement(a.Packages, id, func(p *Package) string { return p.ID })
}

// Benchmark returns the benchmark with an id, or nil.
func (a *Assessment) Benchmark(id string) *Benchmark {
	return findElement(a.Benchmarks, id, func(b *Benchmark) string { return b.ID })
}

// Profile returns the profile with an id, or nil.
func (a *Assessment) Profile(id string) *Profile {
	return findElement(a.Profiles, id, func(p *Profile) string { return p.ID })
}

// SkillsTest returns the skills test with an id, or nil.
func (a *Assessment) SkillsTest(id string) *SkillsTest {
	return findElement(a.SkillsTests, id, func(t *SkillsTest) string { return t.ID() })
}

// copied returns a deep copy of the state, with the current version. It returns an error if the state is not valid (see
// check).
func (st *State) copied() (*State, error) {
	current := *st
	current.Version = stateVersion
	text, err := encodeJSON(current)
	if err != nil {
		return nil, err
	}
	return parseState(text)
}

// parseState reads a state from the text of a state file. It returns an error if the text is not exactly one state, if
// the state has another version or unknown members, or if it is not valid (see check).
func parseState(text []byte) (*State, error) {
	var header struct{ Version int }
	// Check the version first, because a state of another version may have other members.
	if json.Unmarshal(text, &header) == nil && header.Version != stateVersion {
		return nil, fmt.Errorf("the state has version %d, but this program reads version %d", header.Version, stateVersion)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	// A member that this version does not know is an error, because the next write would lose it.
	decoder.DisallowUnknownFields()
	st := new(State)
	if err := decoder.Decode(st); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the end of the state")
	}
	return st, st.check()
}

// check returns an error if an assessment has an unknown kind, if a skills test has no id or no boolean `active`, or if
// a percentile is not between 0 and 100. The handlers rely on this.
func (st *State) check() error {
	for _, assessment := range st.Assessments {
		if err := assessment.check(); err != nil {
			return err
		}
	}
	for _, position := range st.Positions {
		for _, candidate := range position.Candidates {
			if err := candidate.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *Assessment) check() error {
	if _, known := rulesOf[a.Kind]; !known {
		return fmt.Errorf("assessment %q: unknown kind %q", a.ID, a.Kind)
	}
	for _, test := range a.SkillsTests {
		active, _ := test.Get("active")
		if test.ID() == "" || describeJSON(active) != "a boolean" {
			return fmt.Errorf("assessment %q: a skills test without a string id or a boolean active", a.ID)
		}
	}
	return nil
}

func (c *Candidate) check() error {
	for _, result := range c.Results {
		if p := result.Percentile; p != nil && (*p < 0 || *p > 100) {
			return fmt.Errorf("candidate %q: the percentile %v is not between 0 and 100", c.ID, *p)
		}
	}
	return nil
}
