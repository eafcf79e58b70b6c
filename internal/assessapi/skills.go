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
	"strconv"
)

// SkillsTest is a test of a skills assessment (section 2.7).
type SkillsTest struct {
	ID                string
	Title             *string
	Description       *string
	Category          *string
	TimeToComplete    *string
	NumberOfQuestions *big.Float
	Active            *bool // enabled for the organisation
	SelfLink          *string
	Extra             *string

	listed json.RawMessage // the resource as the service wrote it
}

const skillsFields = "title,description,category,timeToComplete,numberOfQuestions,active"

// SkillsTests lists the enabled tests of a skills assessment, or those that are
// not (section 4.4); empty for an assessment of another kind.
func (c *Client) SkillsTests(ctx context.Context, assessment string, active bool) ([]SkillsTest, error) {
	query := url.Values{"active": {strconv.FormatBool(active)}}
	return pages(c, "/assessments/{assessment}/skills", []string{assessment}, skillsFields, query, func(o *object) SkillsTest {
		test := readSkillsTest(o)
		if test.Active == nil { // the list itself says which it is
			test.Active = &active
		}
		return test
	}).All(ctx)
}

func readSkillsTest(o *object) SkillsTest {
	return SkillsTest{
		ID:                o.identity(),
		Title:             o.string("title"),
		Description:       o.string("description"),
		Category:          o.string("category"),
		TimeToComplete:    o.string("timeToComplete"),
		NumberOfQuestions: o.number("numberOfQuestions"),
		Active:            o.bool("active"),
		SelfLink:          o.selfLink(),
		Extra:             o.extra(),
		listed:            o.text,
	}
}

// EnableSkillsTest enables a test for the organisation (section 4.5) and
// returns it enabled. The body is the test as the service listed it, to the
// spelling of its numbers, because a change of anything but `active` is refused
// (assumption A18).
func (c *Client) EnableSkillsTest(ctx context.Context, assessment string, test SkillsTest) (SkillsTest, error) {
	r, err := at("/assessments/{assessment}/skills/{skills test}", assessment, test.ID)
	if err != nil {
		return SkillsTest{}, err
	}
	body, err := activate(test.listed)
	if err != nil {
		return SkillsTest{}, err
	}
	if _, err := c.do(ctx, call{method: http.MethodPut, route: r, body: body}); err != nil {
		return SkillsTest{}, err
	}
	enabled := true
	test.Active, test.listed = &enabled, body
	return test, nil
}

// activate sets the member `active` of a JSON object to true and leaves every
// other byte as it is.
func activate(listed json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(listed))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the service listed a skills test that is no object")
	}
	opening := dec.InputOffset()
	var start, end int64
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
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
