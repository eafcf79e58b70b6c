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

// SkillsTests lists the tests of a skills assessment that are enabled, or those that are
// not (listSkillsTests). The list is empty for an assessment of another kind.
func (c *Client) SkillsTests(assessment string, active bool) *Pages[SkillsTest] {
	query := url.Values{"active": {strconv.FormatBool(active)}}
	const route = "/assessments/{assessment}/skills"
	p := pages(c, route, []string{assessment}, skillsFields, query, readSkillsTest)
	p.read = func(o *jsonObject) SkillsTest {
		test := readSkillsTest(o)
		if test.Active == nil && !p.applies("active") { // the list determines whether its tests are enabled
			test.Active = &active
		}
		return test
	}
	p.keep = func(test SkillsTest) (bool, error) {
		if !p.applies("active") {
			return true, nil
		}
		if test.Active == nil {
			return false, p.hidden("active", "whether each test is enabled")
		}
		return *test.Active == active, nil
	}
	return p
}

func readSkillsTest(o *jsonObject) SkillsTest {
	test := SkillsTest{
		Item:              Item{ID: o.identity(), Name: o.name("title")},
		Description:       o.string("description"),
		Category:          o.string("category"),
		TimeToComplete:    o.string("timeToComplete"),
		NumberOfQuestions: o.number("numberOfQuestions"),
		Active:            o.bool("active"),
		SelfLink:          o.selfLink(),
		listed:            o.raw,
	}
	test.Extra = o.extra() // what is left
	return test
}

// EnableSkillsTest enables a test for the organization (enableSkillsTest) and returns it. The
// request contains the test exactly as the service listed it, because the service refuses
// a change of any member except `active` (assumption A18). An [UnsureError] means that something else may
// have answered in place of the service.
func (c *Client) EnableSkillsTest(ctx context.Context, assessment string, test SkillsTest) (SkillsTest, error) {
	r := newRoute("/assessments/{assessment}/skills/{skills test}", assessment, test.ID)
	body, err := activate(test.listed)
	if err != nil {
		return SkillsTest{}, err
	}
	sent := apiRequest{method: http.MethodPut, route: r, body: body}
	a, err := c.do(ctx, sent)
	if err != nil {
		return SkillsTest{}, explainCharset(err, body)
	}
	enabled := true
	test.Active, test.listed = &enabled, body
	return test, c.unsure(sent, a, test.ID)
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
	if o, err := parseJSONObject(t.listed); err == nil {
		for _, name := range o.names() {
			shown[name] = true
		}
	}
	return shown
}

// explainCharset adds an explanation to a 400: the service has listed a character that it
// does not accept in requests (assumption A16).
func explainCharset(err error, body []byte) error {
	refused, answered := errors.AsType[*Error](err)
	if !answered || refused.Status != http.StatusBadRequest {
		return err
	}
	for _, r := range normalize(body) { // without escapes
		if r > '\u00FF' {
			refused.Message = strings.TrimSpace(fmt.Sprintf(
				"%s (The service lists this test with the character %U, which is outside Latin1. To enable the test, this "+
					"character must be sent back, and the service may refuse that.)", refused.Message, r))
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
