// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Values of `profileStatus` in the contract. A service may return others.
const (
	SupervisorToComplete = "SUPERVISOR_TO_COMPLETE"
	ProfileAttached      = "PROFILE_ATTACHED"
	SupervisorCompleted  = "SUPERVISOR_COMPLETED"
)

// PositionAssessment is an assessment attached to a position (attachAssessment), as a response shows it.
type PositionAssessment struct {
	ID           string
	AssessmentID Member[string] // `organizationAssessment`
	HasMetadata  bool           // whether the response has metadata that are not null
	Metadata     Metadata
	SelfLink     *string
	Extra        *string // other members except `_links`, as a JSON object. It is sensitive.
	Cached       bool    // whether a cache has answered a fetch. An element of a list has List.Cached instead.
}

// Metadata is the configuration of a position assessment, as far as a response shows it.
type Metadata struct {
	Packages, Tests                               Member[[]string]
	Benchmark, Profile, ProfileStatus, ProfileURL Member[string]
}

// IDs returns the IDs that metadata show for a key: "packages", "benchmark", "profile" or "tests".
func (m Metadata) IDs(key string) []string {
	one := map[string]Member[string]{"benchmark": m.Benchmark, "profile": m.Profile}[key]
	if id, ok := one.Get(); ok {
		return []string{id}
	}
	return map[string]Member[[]string]{"packages": m.Packages, "tests": m.Tests}[key].OrZero()
}

// Shows reports whether metadata show the value of a key, or show that it has none. For profile, a status other than
// PROFILE_ATTACHED shows that no profile is attached.
func (m Metadata) Shows(key string) bool {
	switch key {
	case "packages":
		return m.Packages.Shown
	case "benchmark":
		return m.Benchmark.Shown
	case "tests":
		return m.Tests.Shown
	case "profile":
		status, hasStatus := m.ProfileStatus.Get()
		return m.Profile.Shown || hasStatus && status != ProfileAttached
	}
	return false
}

// Configuration is the configuration that a write sends. Members that are nil are omitted, which removes them
// (assumption A5).
type Configuration struct {
	Packages           []string
	Benchmark, Profile *string
	Tests              []string
}

const (
	attachedRoute = "/positions/{position}/assessments"
	attachedOne   = attachedRoute + "/{position assessment}"
)

// PositionAssessments lists the assessments of a position (assumption A7). An element may show only its ID.
func (c *Client) PositionAssessments(ctx context.Context, position string) (List[PositionAssessment], error) {
	l := listing{route: newRoute(attachedRoute, position), fields: "organizationAssessment,metadata"}
	return list(ctx, c, l, func(o *jsonObject) PositionAssessment {
		pa := c.readPositionAssessment(o)
		if pa.ID == "" {
			o.fail(errNoID)
		}
		return pa
	})
}

// PositionAssessment fetches a position assessment. If the response is not about it, the error is a [ShapeError].
func (c *Client) PositionAssessment(ctx context.Context, position, id string) (PositionAssessment, error) {
	r := newRoute(attachedOne, position, id)
	resp, err := c.do(ctx, request{method: http.MethodGet, route: r})
	if err != nil {
		return PositionAssessment{}, err
	}
	pa, err := c.readFetched(resp.body, id)
	if err != nil {
		return PositionAssessment{}, c.shapeError(r, err)
	}
	pa.Cached = resp.isCached
	return pa, nil
}

// NoAssessment returns the [ShapeError] of a fetched position assessment that does not show its assessment.
func (c *Client) NoAssessment(position, id string) error {
	return c.shapeError(newRoute(attachedOne, position, id), errors.New(`it has no "organizationAssessment"`))
}

// readFetched reads the response to the request for the position assessment with an ID. If the response shows no ID,
// the result has the requested ID. readFetched returns an error if the response shows another ID, has nothing of a
// position assessment, reports a failure, is nested too deeply, or does not have the expected types.
func (c *Client) readFetched(body []byte, id string) (pa PositionAssessment, err error) {
	if failure := failureOf(body); failure != nil {
		return pa, failure
	}
	o, err := parseResource(body)
	if err != nil {
		return pa, err
	}
	pa = c.readPositionAssessment(o)
	switch {
	case o.err != nil:
		return pa, o.err
	case pa.ID == "" && !pa.AssessmentID.Shown && !pa.HasMetadata:
		return pa, fmt.Errorf("expected a position assessment, got %s", describeJSON(body))
	case pa.ID == "":
		pa.ID = id
	case pa.ID != id:
		return pa, fmt.Errorf("asked for the ID %q, got %q", id, pa.ID)
	}
	return pa, nil
}

// readPositionAssessment reads a position assessment from a JSON object. It requires no member and does not set Cached.
// If a member other than `_links` has an unexpected type, the error is in o.err.
func (c *Client) readPositionAssessment(o *jsonObject) PositionAssessment {
	pa := PositionAssessment{
		ID: o.text("id"), AssessmentID: o.stringMember("organizationAssessment"), SelfLink: o.selfLink(),
	}
	if m := o.object("metadata"); m != nil {
		pa.HasMetadata = true
		pa.Metadata = Metadata{
			Packages:      m.stringsMember("packages"),
			Tests:         m.stringsMember("tests"),
			Benchmark:     m.stringMember("benchmark"),
			Profile:       m.stringMember("profile"),
			ProfileStatus: m.stringMember("profileStatus"),
			ProfileURL:    m.stringMember("profileUrl"),
		}
		o.putBackRest("metadata", m)
	}
	pa.Extra = o.extra(c.secrets) // last, because it returns the members that remain
	return pa
}

// Attach attaches an assessment to a position. It repeats the POST only if it certainly had no effect. After an error
// with the outcome [Unknown], the assessment may be attached. Attach returns the position assessment as the response
// shows it (see readWritten), which may differ from what a read returns (assumption A27). If the response does not show
// the new ID (assumption A4), the ID is empty, and the caller must look for it in the list of the position.
func (c *Client) Attach(
	ctx context.Context, position, assessment string, cfg Configuration,
) (PositionAssessment, error) {
	r, err := c.do(ctx, request{
		method: http.MethodPost, route: newRoute(attachedRoute, position), body: requestBody(assessment, cfg),
	})
	if err != nil {
		return PositionAssessment{}, err
	}
	pa := c.readWritten(r, assessment)
	shownIDs := []string{pa.ID, lastSegment(r.header.Get("Location"))} // the most reliable one first
	if pa.SelfLink != nil {
		shownIDs = append(shownIDs, lastSegment(*pa.SelfLink))
	}
	pa.ID = firstNewID(shownIDs, position, assessment)
	return pa, nil
}

// firstNewID returns the first of these IDs that can be the ID of a new position assessment, or "". It skips the ID of
// the position, the ID of the assessment, and "assessments", because these are segments of other addresses.
func firstNewID(ids []string, position, assessment string) string {
	for _, id := range ids {
		if isSegment(id) && id != position && id != assessment && id != "assessments" {
			return id
		}
	}
	return ""
}

// Update replaces the configuration of a position assessment (assumption A5). It returns the position assessment as the
// response shows it (see readWritten). If the response shows another ID, the result contains only the requested ID.
// Before Update repeats a request that may have had an effect, it calls check, which may be nil. If check returns an
// error, Update ends, and returns this error in an [Error] with the outcome Unknown.
func (c *Client) Update(
	ctx context.Context, position, id, assessment string, cfg Configuration, check func(context.Context) error,
) (PositionAssessment, error) {
	r, err := c.do(ctx, request{
		method: http.MethodPut, route: newRoute(attachedOne, position, id), body: requestBody(assessment, cfg), check: check,
	})
	if err != nil {
		return PositionAssessment{}, err
	}
	pa := c.readWritten(r, assessment)
	if pa.ID != "" && pa.ID != id {
		return PositionAssessment{ID: id}, nil
	}
	pa.ID = id
	return pa, nil
}

// Removal is the meaning of a successful response to a removal (assumption A6).
type Removal int

// Values of [Removal].
const (
	Unconfirmed Removal = iota // the response has no Conversation-Id, so a gateway may have sent it
	Accepted                   // 202: the service will remove the position assessment
	Removed
)

// Remove removes a position assessment (assumption A6). It calls check as [Client.Update] does.
func (c *Client) Remove(ctx context.Context, position, id string, check func(context.Context) error) (Removal, error) {
	r, err := c.do(ctx, request{method: http.MethodDelete, route: newRoute(attachedOne, position, id), check: check})
	switch {
	case err != nil:
		return Unconfirmed, err
	case r.status == http.StatusAccepted:
		return Accepted, nil
	case r.header.Get(conversationHeader) == "":
		return Unconfirmed, nil
	}
	return Removed, nil
}

// readWritten reads the response to a write. The service has accepted the write, so an unexpected body is not an error.
// If the body does not have the expected types, readWritten reads only the ID and the link. It reads nothing if the
// body is about another assessment, is not an object, or is nested too deeply.
func (c *Client) readWritten(r *response, assessment string) PositionAssessment {
	o, err := parseResource(r.body)
	if err != nil {
		return PositionAssessment{}
	}
	pa := c.readPositionAssessment(o)
	if shown, ok := pa.AssessmentID.Get(); ok && shown != assessment {
		return PositionAssessment{}
	}
	if o.err != nil {
		return PositionAssessment{ID: pa.ID, SelfLink: pa.SelfLink}
	}
	return pa
}

// lastSegment returns the last segment of the path of an address, decoded, or "".
func lastSegment(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	segments := strings.Split(strings.TrimRight(u.EscapedPath(), "/"), "/")
	id, _ := url.PathUnescape(segments[len(segments)-1]) // EscapedPath is always valid
	return id
}

// requestBody returns the body of attachAssessment and updatePositionAssessment. It omits members of cfg that are nil.
// IDs are sorted, and each is sent once. An empty list is sent as [].
func requestBody(assessment string, cfg Configuration) []byte {
	metadata := map[string]any{}
	if cfg.Packages != nil {
		metadata["packages"] = sortedUnique(cfg.Packages)
	}
	if cfg.Benchmark != nil {
		metadata["benchmark"] = *cfg.Benchmark
	}
	if cfg.Profile != nil {
		metadata["profile"] = *cfg.Profile
	}
	if cfg.Tests != nil {
		metadata["tests"] = sortedUnique(cfg.Tests)
	}
	return marshal(map[string]any{"organizationAssessment": assessment, "metadata": metadata})
}

// sortedUnique returns the distinct IDs, sorted. The result is never nil, which JSON would show as null.
func sortedUnique(ids []string) []string {
	return append([]string{}, slices.Compact(slices.Sorted(slices.Values(ids)))...)
}
