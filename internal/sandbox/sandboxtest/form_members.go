// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// The members of the contract by type. Members with other names keep their values.
var (
	numberMembers = []string{
		"suitability", "candidateSuitability", "suitabilityScore", "candidateSuitabilityScore", "score",
		"percentile", "numberOfQuestions",
	}
	booleanMembers   = []string{"active", "mandatory", "optional"}
	timestampMembers = []string{"created", "completed"}
	idMembers        = []string{
		"id", "organizationAssessment", "assessment", "profile", "benchmark", "packages", "tests",
	}
	listMembers = []string{"packages", "tests", "results", "invitations"}
	// optionalMembers are members that an object may lack, by the name of the member that contains it.
	optionalMembers = map[string][]string{
		"metadata":    {"packages", "profile", "profileUrl", "profileStatus", "benchmark", "tests"},
		"results":     {"percentile", "classification", "validity"},
		"invitations": {"completed"},
	}
)

// object changes the members of an object. name is that of the member that contains it.
func (f Form) object(name string, o *sandbox.Object) {
	if f.Empty == "absent" {
		for _, m := range slices.Clone(*o) {
			if string(m.Value) == "null" {
				o.Delete(m.Name)
			}
		}
	}
	for _, optional := range optionalMembers[name] {
		_, found := o.Get(optional)
		switch {
		case found:
		case f.Absent == "array" && slices.Contains(listMembers, optional):
			o.Set(optional, []string{})
		case f.Absent == "text" && !slices.Contains(listMembers, optional):
			o.Set(optional, "")
		case f.Absent == "null":
			o.Set(optional, nil)
		}
	}
	f.elementLinks(o)
	if f.More != "" {
		moreMembers(name, o)
	}
	if f.Order == "reversed" {
		slices.Reverse(*o)
	}
}

// moreMembers are members that the contract does not have.
func moreMembers(name string, o *sandbox.Object) {
	o.Set("revision", 7)
	o.Set("region", "北 ’")
	o.Set("owner", map[string]any{"id": "someone", "active": nil})
	o.Set("archived", nil)
	isEnvelope := name == "" && slices.ContainsFunc(*o, func(m sandbox.Member) bool {
		return m.Name == "candidates" || m.Name == "items"
	})
	if !isEnvelope {
		o.Set("labels", []string{"a", "b"})
	}
}

// scalar changes a value that is not an object, and an array that is empty.
func (f Form) scalar(name string, value json.RawMessage) json.RawMessage {
	text := string(value)
	isNumber, isBoolean := slices.Contains(numberMembers, name), slices.Contains(booleanMembers, name)
	isTimestamp := slices.Contains(timestampMembers, name)
	switch {
	case text == "null" && f.Empty == "text" && (isNumber || isBoolean || isTimestamp):
		return json.RawMessage(`""`)
	case text == "null":
		return value
	case isNumber:
		return f.number(value)
	case isBoolean && f.Booleans == "text":
		return quoted(text)
	case isTimestamp:
		return f.date(value)
	case f.IDs != "" && slices.Contains(idMembers, name) && isDigits(strings.Trim(text, `"`)):
		return f.id(strings.Trim(text, `"`))
	}
	return value
}

// id writes an ID of digits as a number.
func (f Form) id(digits string) json.RawMessage {
	switch f.IDs {
	case "decimal":
		digits += ".0"
	case "exponent":
		digits = digits[:1] + "." + digits[1:] + "0e+" + strconv.Itoa(len(digits)-1)
	}
	return json.RawMessage(digits)
}

func quoted(text string) json.RawMessage { return json.RawMessage(strconv.Quote(text)) }

func isDigits(text string) bool {
	return text != "" && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

// number writes a number in another way.
func (f Form) number(value json.RawMessage) json.RawMessage {
	text := string(value)
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case f.Numbers == "text":
		return quoted(text)
	case f.Numbers == "decimal" && !strings.ContainsAny(text, ".eE"):
		return json.RawMessage(text + ".0")
	case f.Numbers == "exponent" && err == nil:
		return json.RawMessage(strconv.FormatFloat(n, 'E', -1, 64))
	}
	return value
}

// date writes a timestamp in another way.
func (f Form) date(value json.RawMessage) json.RawMessage {
	var at time.Time
	if json.Unmarshal(value, &at) != nil {
		return value
	}
	switch f.Dates {
	case "micros":
		return quoted(at.UTC().Format("2006-01-02T15:04:05.000000Z"))
	case "offset":
		return quoted(at.UTC().Format("2006-01-02T15:04:05.000+00:00"))
	case "local":
		return quoted(at.In(time.FixedZone("", 2*60*60)).Format("2006-01-02T15:04:05-07:00"))
	}
	return value
}

// hide removes the status of a new position assessment from the answer to its creation and from the first read.
func (s *Service) hide(a *arrival, o *sandbox.Object) {
	id, isElement := o.Get("id")
	if _, found := o.Get("metadata"); !isElement || !found {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.late[string(id)]; known || a.method == http.MethodPost {
		if s.late[string(id)]++; s.late[string(id)] <= 2 {
			deleteMetadata(o, "profileStatus", "profileUrl")
		}
	}
}

// undo returns the body of an update of a skills test as the service expects it. Each member
// that the form has changed becomes what the service would have written.
func (s *Service) undo(f Form, a *arrival) []byte {
	body, err := sandbox.ParseObject(a.body)
	assessment := s.present().Assessment(a.segment(3))
	if err != nil || assessment == nil || assessment.SkillsTest(a.segment(5)) == nil {
		return a.body
	}
	own, links := assessment.SkillsTest(a.segment(5)).Object, []pageLink{{"self", a.path}}
	own.Set("_links", links) // the service compares only paths
	shown := parsed[sandbox.Object](s.rewrite(f, a, "", encode(own)))
	restored := sandbox.Object{}
	for _, m := range body {
		before, isOwn := own.Get(m.Name)
		after, wasShown := shown.Get(m.Name)
		switch {
		case m.Name == "active":
			restored.Set("active", true)
		case m.Name == "_links" && f.SelfLinks == "object":
			self := member[map[string]pageLink](body, "_links")["self"]
			restored.Set("_links", []pageLink{{"self", self.Href}})
		case !wasShown || !equalJSON(after, m.Value):
			restored.Set(m.Name, m.Value)
		case isOwn:
			restored.Set(m.Name, before)
		default: // a member that only the form has
		}
	}
	if f.SelfLinks == "none" {
		restored.Set("_links", links)
	}
	return []byte(escape(encode(restored), func(r rune) bool { return r <= '~' })) // as the client writes
}

// equalJSON compares two values, apart from how they are spelled.
func equalJSON(a, b json.RawMessage) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}
