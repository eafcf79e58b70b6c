// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// SkillsTest is a test of a skills assessment (listSkillsTests).
type SkillsTest struct {
	Item
	Description       *string
	Category          *string
	TimeToComplete    *string
	NumberOfQuestions *big.Float
	Active            *bool // enabled for the organization
	SelfLink          *string

	listed json.RawMessage // the resource exactly as the service returned it
}

const skillsFields = "title,description,category,timeToComplete,numberOfQuestions,active"

// skillsRoute is the route of both lists of skills tests.
const skillsRoute = "/assessments/{assessment}/skills"

// SkillsTests lists the enabled or the disabled tests of a skills assessment (listSkillsTests). If the service does not
// show `active`, Active is the requested value. SkillsTests omits tests with the opposite value, because a service may
// ignore the filter.
func (c *Client) SkillsTests(ctx context.Context, assessment string, active bool) (List[SkillsTest], error) {
	l := listing{
		route: newRoute(skillsRoute, assessment), fields: skillsFields,
		filters: url.Values{"active": {strconv.FormatBool(active)}},
	}
	all, err := list(ctx, c, l, func(o *jsonObject) SkillsTest { return c.readSkillsTest(o, active) })
	if err == nil {
		all.Elements = slices.DeleteFunc(all.Elements, func(test SkillsTest) bool { return *test.Active != active })
	}
	return all, err
}

// readSkillsTest reads a skills test. If the member `active` has no value, the result's field Active is set to the
// second parameter. If a member other than `_links` has an unexpected type, or the ID is missing, the error is in
// o.err.
func (c *Client) readSkillsTest(o *jsonObject, active bool) SkillsTest {
	test := SkillsTest{
		Item:              Item{ID: o.id(), Name: o.name("title")},
		Description:       o.string("description"),
		Category:          o.string("category"),
		TimeToComplete:    o.string("timeToComplete"),
		NumberOfQuestions: o.number("numberOfQuestions"),
		Active:            o.bool("active"),
		SelfLink:          o.selfLink(),
		listed:            o.raw,
	}
	if test.Active == nil {
		test.Active = &active
	}
	test.Extra = o.extra(c.secrets) // last, because it returns the members that remain
	return test
}

// EnableSkillsTest enables a test for the organization (enableSkillsTest). [SkillsTest.CheckComplete] must have
// returned no error for it. The request contains the test with `active` true, and otherwise as the service has listed
// it (assumptions A15 and A18). If a 2xx shows this test with `active` false, the error is an [Error] with the outcome
// Unknown.
func (c *Client) EnableSkillsTest(ctx context.Context, assessment string, test SkillsTest) error {
	body, err := activate(test.listed)
	if err != nil {
		return err
	}
	route := newRoute(skillsRoute+"/{skills test}", assessment, test.ID)
	r, err := c.do(ctx, request{method: http.MethodPut, route: route, body: body})
	if err != nil {
		return err
	}
	if !showsDisabled(r.body, test.ID) {
		return nil
	}
	e := &Error{Outcome: Unknown, Method: http.MethodPut, Route: route.template, Address: c.shownAddress(route)}
	c.describe(e, r)
	e.Err = errors.New("the response shows this skills test with `active` false")
	return e
}

// showsDisabled reports whether a response shows the skills test with this ID, and that it is not enabled.
func showsDisabled(body []byte, id string) bool {
	o, err := parseObject(body)
	if err != nil || o.text("id") != id {
		return false
	}
	active := o.bool("active")
	return active != nil && !*active
}

// IncompleteError means that the lists may omit members of a skills test. Then the test must not be sent, because the
// service might delete the members that a request does not contain.
type IncompleteError struct {
	Missing []string // members that only other tests show. It can be empty if the test shows no optional member
}

func (e *IncompleteError) Error() string {
	if len(e.Missing) == 0 {
		return "the service shows no title and no other optional field of this skills test"
	}
	return "the service does not show " + strings.Join(e.Missing, ", ") + " of this skills test"
}

// CheckComplete returns an [IncompleteError] if the lists may omit members of a test (assumption A18): the test lacks
// all optional members, or a member of section 2.7 that one of the others has. others may contain the test itself.
func (t SkillsTest) CheckComplete(others []SkillsTest) error {
	optional := strings.Split(skillsFields, ",")
	var missing []string
	for _, member := range append(optional, "_links") {
		isShown := func(other SkillsTest) bool { return other.shows(member) }
		if !t.shows(member) && slices.ContainsFunc(others, isShown) {
			missing = append(missing, member)
		}
	}
	isBare := !slices.ContainsFunc(optional, t.shows)
	if isBare || len(missing) > 0 {
		return &IncompleteError{Missing: missing}
	}
	return nil
}

// shows reports whether the service has listed a member of the test, also if the member is null.
func (t SkillsTest) shows(member string) bool {
	o, err := parseObject(t.listed)
	return err == nil && o.members[member] != nil
}

// activate sets `active` to true in a JSON object, and adds it as the first member if it is absent. All other bytes
// stay. It returns an error if listed is not an object.
func activate(listed json.RawMessage) (json.RawMessage, error) {
	o, err := parseObject(listed)
	if err != nil {
		return nil, err
	}
	start, end := placeOf("active", listed)
	if end > 0 { // the object has the member
		return splice(listed, start, end, "true"), nil
	}
	member := `"active":true`
	if len(o.members) > 0 {
		member += ","
	}
	inside := int64(bytes.IndexByte(listed, '{') + 1)
	return splice(listed, inside, inside, member), nil
}

// placeOf returns where the value of a member begins and ends in a JSON object, or 0 and 0.
func placeOf(member string, object json.RawMessage) (start, end int64) {
	dec := json.NewDecoder(bytes.NewReader(object)) // the text is valid, so there are no errors
	_, _ = dec.Token()                              // the opening brace
	for dec.More() {
		name, _ := dec.Token()
		var value json.RawMessage
		_ = dec.Decode(&value)
		if name == member {
			end = dec.InputOffset()
			start = end - int64(len(value))
		}
	}
	return start, end
}

// splice replaces a part of a text.
func splice(text []byte, start, end int64, part string) []byte {
	return slices.Concat(text[:start], []byte(part), text[end:])
}
