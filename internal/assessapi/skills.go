// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// SkillsTests lists the tests of a skills assessment that are enabled, or those that are not (listSkillsTests). A test
// that does not show whether it is enabled is what the list says. Tests that show the opposite are omitted, because a
// service may ignore the filter.
func (c *Client) SkillsTests(ctx context.Context, assessment string, active bool) (List[SkillsTest], error) {
	l := listing{
		route: newRoute(skillsRoute, assessment), fields: skillsFields,
		filters: url.Values{"active": {strconv.FormatBool(active)}},
	}
	all, err := list(ctx, c, l, func(o *jsonObject) SkillsTest { return c.readSkillsTest(o, active) })
	all.Elements = slices.DeleteFunc(all.Elements, func(test SkillsTest) bool { return *test.Active != active })
	return all, err
}

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
	test.Extra = o.extra(c.secrets) // what is left
	return test
}

// EnableSkillsTest enables a test for the organization (enableSkillsTest). The request contains the test exactly as the
// service has listed it, because the service rejects a change of any member except `active` (assumption A18). If the
// response shows that the test is not enabled, the outcome is Unknown.
func (c *Client) EnableSkillsTest(ctx context.Context, assessment string, test SkillsTest) error {
	body, err := activate(test.listed)
	if err != nil {
		return err
	}
	r := newRoute(skillsRoute+"/{skills test}", assessment, test.ID)
	a, err := c.do(ctx, request{method: http.MethodPut, route: r, body: body})
	if err != nil {
		return explainCharset(err, body)
	}
	if showsDisabled(a.body, test.ID) {
		return &Error{
			Outcome: Unknown, Method: http.MethodPut, Route: r.template, Address: c.shownAddress(r), Status: a.status, Own: true,
			ConversationID: c.secrets.show(a.conversationID(), 100),
			Err:            errors.New("the response shows this skills test with `active` false"),
		}
	}
	return nil
}

// showsDisabled reports whether a response shows a skills test that is not enabled.
func showsDisabled(body []byte, id string) bool {
	o, err := parseObject(body)
	if err != nil || o.text("id") != id {
		return false
	}
	active := o.bool("active")
	return active != nil && !*active
}

// IncompleteError means that a list does not show a whole skills test. It cannot be sent back, because the service
// might delete what is missing. Nothing was sent.
type IncompleteError struct {
	Missing []string // members that the service shows for other tests, or none if it shows only the ID
}

func (e *IncompleteError) Error() string {
	if len(e.Missing) == 0 {
		return "the service shows nothing but the ID of this skills test"
	}
	return "the service does not show " + strings.Join(e.Missing, ", ") + " of this skills test"
}

// testMembers are the members of a skills test besides its ID (section 2.7 of the contract).
var testMembers = append(strings.Split(skillsFields, ","), "_links")

// CheckComplete returns an [IncompleteError] if the list did not show all of a test: it lacks a member that
// the service shows for another test, or all optional members (assumption A18).
func (t SkillsTest) CheckComplete(others []SkillsTest) error {
	shown := t.shown()
	var missing []string
	for _, member := range testMembers {
		if shown[member] {
			continue
		}
		if slices.ContainsFunc(others, func(other SkillsTest) bool { return other.shown()[member] }) {
			missing = append(missing, member)
		}
	}
	isShown := func(member string) bool { return shown[member] }
	if len(missing) == 0 && slices.ContainsFunc(strings.Split(skillsFields, ","), isShown) {
		return nil
	}
	return &IncompleteError{Missing: missing}
}

// shown returns which members the service has listed.
func (t SkillsTest) shown() map[string]bool {
	shown := map[string]bool{}
	if o, err := parseObject(t.listed); err == nil {
		for _, name := range o.names() {
			shown[name] = true
		}
	}
	return shown
}

// explainCharset adds an explanation to a 400: the service has listed a character that it does not accept in requests
// (assumption A16).
func explainCharset(err error, body []byte) error {
	rejection, answered := errors.AsType[*Error](err)
	if !answered || rejection.Status != http.StatusBadRequest {
		return err
	}
	for _, r := range normalize(body) { // without escapes
		if r > '\u00FF' {
			rejection.Message = strings.TrimSpace(fmt.Sprintf(
				"%s (The service lists this test with the character %U, which is outside Latin1. To enable the test, this "+
					"character must be sent back, and the service may reject that.)", rejection.Message, r))
			break
		}
	}
	return err
}

// activate sets the member `active` of a JSON object to true. All other bytes stay the
// same.
func activate(listed json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(listed) || bytes.TrimSpace(listed)[0] != '{' {
		return nil, errors.New("the service listed a skills test that is not an object")
	}
	dec := json.NewDecoder(bytes.NewReader(listed)) // the text is valid, so there are no errors
	_, _ = dec.Token()                              // the opening brace
	opening := dec.InputOffset()
	var start, end int64
	for dec.More() {
		name, _ := dec.Token()
		var value json.RawMessage
		_ = dec.Decode(&value)
		if name == "active" {
			end = dec.InputOffset()
			start = end - int64(len(value))
		}
	}
	if end == 0 {
		member := `"active":true`
		if rest := bytes.TrimSpace(listed[opening:]); rest[0] != '}' {
			member += ","
		}
		return bytes.Join([][]byte{listed[:opening], []byte(member), listed[opening:]}, nil), nil
	}
	return bytes.Join([][]byte{listed[:start], []byte("true"), listed[end:]}, nil), nil
}
