// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Values of [Metadata.ProfileStatus] that the specification names (section
// 3.1). Others are passed through as they come.
const (
	ProfileAttached     = "PROFILE_ATTACHED"
	SupervisorCompleted = "SUPERVISOR_COMPLETED"
)

const (
	positionAssessmentsRoute = "/positions/{position}/assessments"
	positionAssessmentRoute  = "/positions/{position}/assessments/{position assessment}"
)

// PositionAssessment is an assessment attached to a position (section 2.3).
type PositionAssessment struct {
	ID           string
	AssessmentID string // `organizationAssessment`
	SelfLink     *string
	Metadata     Metadata
	HasMetadata  bool    // whether the answer had any metadata at all
	Extra        *string // sensitive: may hold what the metadata does
}

// Metadata is the extra configuration of a position assessment (section 2.3).
// What is sent is Packages, Benchmark, Profile and Tests; a nil one is left out.
type Metadata struct {
	Packages      []string
	Benchmark     *string
	Profile       *string
	Tests         []string
	ProfileStatus *string
	ProfileURL    *string
}

// Equal reports whether both configure the same: ids are compared as sets, and
// what only the service writes is left out.
func (m Metadata) Equal(other Metadata) bool { return m.Key() == other.Key() }

// Key is the same for all metadata that is [Metadata.Equal].
func (m Metadata) Key() string {
	return string(marshal([]any{once(m.Packages), m.Benchmark, m.Profile, once(m.Tests)}))
}

// once sorts ids and drops repeated ones.
func once(ids []string) []string {
	return append([]string{}, slices.Compact(slices.Sorted(slices.Values(ids)))...)
}

// Configured reports whether any of the keys is there that a service may leave
// out of its answers (assumption A22).
func (m Metadata) Configured() bool {
	return m.Packages != nil || m.Benchmark != nil || m.Tests != nil
}

// wire is the body of creation and update (section 4.2, assumption A5).
func wire(assessment string, m Metadata) []byte {
	metadata := map[string]any{}
	if m.Packages != nil {
		metadata["packages"] = once(m.Packages)
	}
	if m.Benchmark != nil {
		metadata["benchmark"] = *m.Benchmark
	}
	if m.Profile != nil {
		metadata["profile"] = *m.Profile
	}
	if m.Tests != nil {
		metadata["tests"] = once(m.Tests)
	}
	return marshal(map[string]any{"organizationAssessment": assessment, "metadata": metadata})
}

func readPositionAssessment(o *object) PositionAssessment {
	pa := PositionAssessment{SelfLink: o.selfLink()}
	if id := o.string("id"); id != nil {
		pa.ID = *id
	}
	if assessment := o.string("organizationAssessment"); assessment != nil {
		pa.AssessmentID = *assessment
	}
	if m := o.object("metadata"); m != nil {
		pa.HasMetadata = true
		pa.Metadata = Metadata{
			Packages:      m.strings("packages"),
			Benchmark:     m.string("benchmark"),
			Profile:       m.string("profile"),
			Tests:         m.strings("tests"),
			ProfileStatus: m.string("profileStatus"),
			ProfileURL:    m.string("profileUrl"),
		}
		o.join("metadata", m)
	}
	pa.Extra = o.extra()
	return pa
}

// PositionAssessments lists what is attached to a position (assumption A7). An
// element that the service gave without its `organizationAssessment` has an
// empty AssessmentID: [Client.PositionAssessment] reads it whole.
func (c *Client) PositionAssessments(ctx context.Context, position string) ([]PositionAssessment, error) {
	return pages(
		c,
		positionAssessmentsRoute,
		[]string{position},
		"organizationAssessment,metadata",
		nil,
		func(o *object) PositionAssessment {
			pa := readPositionAssessment(o)
			if pa.ID == "" {
				o.missing("id")
			}
			return pa
		},
	).All(ctx)
}

// PositionAssessment fetches one position assessment (section 4.3).
func (c *Client) PositionAssessment(ctx context.Context, position, id string) (PositionAssessment, error) {
	r, err := at(positionAssessmentRoute, position, id)
	if err != nil {
		return PositionAssessment{}, err
	}
	o, err := c.get(ctx, r)
	if err != nil {
		return PositionAssessment{}, err
	}
	pa := readPositionAssessment(o)
	switch {
	case o.err != nil:
		err = o.err
	case pa.AssessmentID == "":
		err = errors.New(`an object without "organizationAssessment" came`)
	case pa.ID == "":
		pa.ID = id
	case pa.ID != id:
		err = fmt.Errorf("the position assessment %q was asked for, %q came", id, pa.ID)
	}
	if err != nil {
		return PositionAssessment{}, c.shapeError(http.MethodGet, r, err.Error())
	}
	return pa, nil
}

// AddAssessment adds an assessment to a position (section 4.2). The answer may
// hold no more than an id: what was sent counts as accepted, and HasMetadata
// says whether the service's own word is there (assumption A4).
//
// A [LostError] says that the assessment may have been added all the same.
func (c *Client) AddAssessment(
	ctx context.Context,
	position, assessment string,
	m Metadata,
) (PositionAssessment, error) {
	r, err := at(positionAssessmentsRoute, position)
	if err != nil {
		return PositionAssessment{}, err
	}
	ans, err := c.do(ctx, call{method: http.MethodPost, route: r, body: wire(assessment, m)})
	if err != nil {
		return PositionAssessment{}, c.lost(err)
	}
	pa := readAnswer(ans)
	if pa.AssessmentID != "" && pa.AssessmentID != assessment || pa.ID == position {
		pa = PositionAssessment{} // the answer is about something else
	}
	if !isSegment(pa.ID) {
		pa.ID = lastSegment(ans.header.Get("Location"))
	}
	if (pa.ID == "" || pa.ID == position) && pa.SelfLink != nil {
		pa.ID = lastSegment(*pa.SelfLink)
	}
	if pa.ID == position {
		pa.ID = "" // the address is the position's
	}
	if pa.ID == "" {
		return PositionAssessment{}, &LostError{Accepted: true, Err: c.shapeError(http.MethodPost, r,
			fmt.Sprintf("the service answered %d, and neither its body nor its Location header says the new id", ans.status))}
	}
	return pa, nil
}

// UpdatePositionAssessment replaces the metadata: what m leaves out is removed
// (assumption A5).
func (c *Client) UpdatePositionAssessment(
	ctx context.Context,
	position, id, assessment string,
	m Metadata,
) (PositionAssessment, error) {
	r, err := at(positionAssessmentRoute, position, id)
	if err != nil {
		return PositionAssessment{}, err
	}
	ans, err := c.do(ctx, call{method: http.MethodPut, route: r, body: wire(assessment, m)})
	if err != nil {
		return PositionAssessment{}, err
	}
	pa := readAnswer(ans)
	pa.ID = id
	return pa, nil
}

// RemovePositionAssessment removes an assessment from a position (assumption
// A6). What is gone already counts as removed: [IsNotFound].
func (c *Client) RemovePositionAssessment(ctx context.Context, position, id string) error {
	r, err := at(positionAssessmentRoute, position, id)
	if err != nil {
		return err
	}
	_, err = c.do(ctx, call{method: http.MethodDelete, route: r})
	return err
}

// readAnswer reads the resource that a write may be answered with. The write
// was accepted, whatever its answer looks like: of one that is not what was due
// no more is taken than what says where the resource is.
func readAnswer(ans *answer) PositionAssessment {
	o, err := parseObject(ans.body)
	if err != nil {
		return PositionAssessment{}
	}
	pa := readPositionAssessment(o)
	if o.err != nil {
		return PositionAssessment{ID: pa.ID, SelfLink: pa.SelfLink}
	}
	return pa
}

// lost tells a refusal, and a request that was never sent, from a lost response.
func (c *Client) lost(err error) error {
	var (
		refused *Error
		call    *CallError
		timeout errAttemptTimeout
	)
	switch {
	case errors.As(err, &refused) && isTimeout(refused.Status):
		return &LostError{Err: err, Settles: c.cfg.RequestTimeout}
	case errors.As(err, &refused) && refused.Status >= 500:
		return &LostError{Err: err}
	case errors.As(err, &call) && call.Sent:
		if errors.As(err, &timeout) {
			return &LostError{Err: err, Settles: c.cfg.RequestTimeout}
		}
		return &LostError{Err: err}
	}
	return err
}

// isTimeout reports a status by which a gateway says that the request may still
// be worked on; 522 and 524 are some gateways' own.
func isTimeout(status int) bool {
	return slices.Contains([]int{http.StatusGatewayTimeout, 522, 524}, status)
}

// lastSegment is the last segment of an address's path, decoded.
func lastSegment(address string) string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return ""
	}
	segment := path.Base(strings.TrimRight(u.EscapedPath(), "/"))
	id, err := url.PathUnescape(segment)
	if err != nil || !isSegment(id) || id == "/" || id == "assessments" {
		return ""
	}
	return id
}
