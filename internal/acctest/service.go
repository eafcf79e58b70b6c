// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Service is a sandbox that a test controls. It keeps a journal of all requests, see [sandboxtest.Service.Journal].
type Service struct {
	*sandboxtest.Server
	t *testing.T
}

// NewService starts a service over HTTP with the state [sandbox.Demo], without rate limits. It skips the test unless
// TF_ACC is set.
func NewService(t *testing.T, change ...func(*sandboxtest.Options)) *Service {
	t.Helper()
	PreCheck(t)
	unlimited := func(o *sandboxtest.Options) { o.NoLimits = true }
	return &Service{sandboxtest.New(t, append(change, unlimited)...), t}
}

// The services that differ from the specification, for [NewService].

// BareLists is a service whose lists show only id and _links.
func BareLists(o *sandboxtest.Options) { o.BareLists = true }

// Unsigned is a service whose responses have no Conversation-Id. It also has no list of a position's assessments.
func Unsigned(o *sandboxtest.Options) { o.Unsigned, o.NoPositionList = true, true }

// Mute is a service that does not show packages, benchmark and tests.
func Mute(o *sandboxtest.Options) { o.Mute = []string{"packages", "benchmark", "tests"} }

// Provider returns the provider block for the service, with more settings.
func (s *Service) Provider(settings ...string) string {
	return fmt.Sprintf("provider \"assess\" {\n  base_url = %q\n  client_id = %q\n  api_key = %q\n  %s\n}\n",
		s.URL, sandbox.ClientID, sandbox.APIKey, strings.Join(settings, "\n  "))
}

// Config returns a configuration: the provider block for the service, and a text.
func (s *Service) Config(text string) string { return s.Provider() + text }

// Attach attaches an assessment by hand, as a person or another program does, and returns the new ID.
func (s *Service) Attach(positionID, assessmentID string, metadata sandbox.Metadata) (id string) {
	s.t.Helper()
	s.update(func(st *sandbox.State) (err error) {
		id, err = st.Attach(positionID, assessmentID, metadata)
		return err
	})
	return id
}

// Remove removes all attachments of an assessment to a position by hand.
func (s *Service) Remove(positionID, assessmentID string) {
	s.Change(s.t, func(st *sandbox.State) {
		position := st.Position(positionID)
		position.Assessments = slices.DeleteFunc(position.Assessments,
			func(a sandbox.PositionAssessment) bool { return a.Assessment == assessmentID })
	})
}

// Attached returns the attachments of an assessment to a position.
func (s *Service) Attached(positionID, assessmentID string) []sandbox.PositionAssessment {
	return slices.DeleteFunc(slices.Clone(s.State(s.t).Position(positionID).Assessments),
		func(a sandbox.PositionAssessment) bool { return a.Assessment != assessmentID })
}

// CompleteProfile completes or replaces the profile of an assessment on a position, as a supervisor does.
func (s *Service) CompleteProfile(positionID, assessmentID string) {
	s.t.Helper()
	id := s.Attached(positionID, assessmentID)[0].ID
	s.update(func(st *sandbox.State) error { return st.CompleteProfile(positionID, id) })
}

// SetActive enables or disables a skills test, as a service operator does.
func (s *Service) SetActive(assessmentID, testID string, active bool) {
	s.Change(s.t, func(st *sandbox.State) { st.Assessment(assessmentID).SkillsTest(testID).Set("active", active) })
}

func (s *Service) update(change func(*sandbox.State) error) {
	s.t.Helper()
	if err := s.Update(change); err != nil {
		s.t.Fatalf("changing the state of the service: %v", err)
	}
}
