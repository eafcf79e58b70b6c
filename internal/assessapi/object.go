// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// jsonObject is a JSON object that is being read. Each member that is read is removed, so only members that the client
// does not model remain. The first member with an unexpected type becomes the error of the object, so callers check for
// an error only once, at the end.
type jsonObject struct {
	raw     json.RawMessage // exactly as the service returned it
	members map[string]json.RawMessage
	err     error
}

// parseObject reads exactly one JSON object.
func parseObject(text []byte) (*jsonObject, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return nil, fmt.Errorf("expected an object, got %s", describeJSON(text))
	}
	return &jsonObject{raw: text, members: members}, nil
}

// jsonKinds are the kinds of JSON values by the first character, except objects and numbers.
var jsonKinds = map[byte]string{'[': "an array", '"': "a string", 'n': "null", 't': "a boolean", 'f': "a boolean"}

// describeJSON returns the type of a JSON value and, for an object, the names of up to ten members. For a text that is
// not JSON, it says so. It does not return values, which may be personal data.
func describeJSON(text []byte) string {
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return "something that is not JSON"
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return cmp.Or(jsonKinds[text[0]], "a number")
	}
	if len(members) == 0 {
		return "an empty object"
	}
	names := slices.Sorted(maps.Keys(members))
	names = names[:min(len(names), 10)]
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	return "an object with " + strings.Join(names, ", ")
}

// take returns the first of the named members that is present and not null. It removes the members with all these
// names.
func (o *jsonObject) take(names ...string) (found string, value json.RawMessage) {
	for _, name := range names {
		if v, ok := o.members[name]; ok && value == nil && string(v) != "null" {
			found, value = name, v
		}
		delete(o.members, name)
	}
	return found, value
}

func (o *jsonObject) drop(name string) { delete(o.members, name) }

// names returns the names of the remaining members, sorted.
func (o *jsonObject) names() []string { return slices.Sorted(maps.Keys(o.members)) }

func (o *jsonObject) fail(err error) { o.err = cmp.Or(o.err, err) }

func (o *jsonObject) expected(name, due string, value json.RawMessage) {
	o.fail(fmt.Errorf("expected the member %q to be %s, got %s", name, due, describeJSON(value)))
}

// string reads a string. It returns nil if the member is absent or null.
func (o *jsonObject) string(names ...string) *string {
	name, value := o.take(names...)
	if value == nil {
		return nil
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		o.expected(name, "a string", value)
		return nil
	}
	return &s
}

// text reads a string. It returns "" if the member is absent or null.
func (o *jsonObject) text(names ...string) string {
	s := o.string(names...)
	if s == nil {
		return ""
	}
	return *s
}

// anyText returns a member as text, whether it is a string, a number or a boolean. For any other value, it returns "".
// Unlike text, it does not remove the member.
func (o *jsonObject) anyText(name string) string {
	var s string
	if value := o.members[name]; json.Unmarshal(value, &s) != nil && isScalar(value) {
		return string(value)
	}
	return s
}

func isScalar(value json.RawMessage) bool {
	return len(value) > 0 && !strings.ContainsRune(`{["n`, rune(value[0]))
}

// name reads a name, a title or a code, and converts it to composed characters (NFC). The CLIs convert all strings in
// this way, so a name in another form would never match. It returns nil if the member is absent or null.
func (o *jsonObject) name(member string) *string {
	name := o.string(member)
	if name != nil {
		*name = norm.NFC.String(*name)
	}
	return name
}

// stringMember reads a string with its three states. An empty string counts as null.
func (o *jsonObject) stringMember(name string) Member[string] {
	_, shown := o.members[name]
	s := o.string(name)
	if s != nil && *s == "" {
		s = nil
	}
	return Member[string]{Shown: shown, Value: s}
}

// stringsMember reads an array of strings with its three states. Unlike the array itself, its elements cannot be null.
// If the member is not such an array, the error is in o.err.
func (o *jsonObject) stringsMember(name string) Member[[]string] {
	text, shown := o.members[name]
	if !shown || string(text) == "null" {
		o.drop(name)
		return Member[[]string]{Shown: shown}
	}
	all := []string{} // not nil, because the array is shown
	o.array(name, func(i int, element json.RawMessage) error {
		var s string
		if json.Unmarshal(element, &s) != nil || string(element) == "null" {
			return fmt.Errorf("expected element %d of %q to be a string, got %s", i+1, name, describeJSON(element))
		}
		all = append(all, s)
		return nil
	})
	return Member[[]string]{Shown: true, Value: &all}
}

func (o *jsonObject) bool(name string) *bool {
	_, value := o.take(name)
	return scalar[bool](o, name, value, "a boolean")
}

// floatOf converts a value that take has returned to a float64. It returns nil if the value is absent or null.
func (o *jsonObject) floatOf(name string, value json.RawMessage) *float64 {
	return scalar[float64](o, name, value, "a number of ordinary size")
}

// number reads a number with a precision of 512 bits. To save time, numbers that are almost zero or have more than 400
// characters become the nearest float64. A number that is too large for a float64 is an error.
func (o *jsonObject) number(name string) *big.Float {
	_, value := o.take(name)
	nearest := o.floatOf(name, value)
	switch {
	case nearest == nil:
		return nil
	case *nearest == 0, len(value) > 400: // the framework would write 1e-99999999 with all its digits
		return big.NewFloat(*nearest)
	}
	exact, _, _ := big.ParseFloat(string(withoutQuotes(value)), 10, 512, big.ToNearestEven) // floatOf has accepted it
	return exact
}

// scalar converts a value that take has returned, to a number or a boolean. It returns nil if the value is absent or
// null.
func scalar[T bool | float64](o *jsonObject, name string, value json.RawMessage, due string) *T {
	plain := withoutQuotes(value)
	if plain == nil {
		return nil
	}
	var decoded T
	if json.Unmarshal(plain, &decoded) != nil {
		o.expected(name, due, value)
		return nil
	}
	return &decoded
}

// withoutQuotes returns the number or the boolean that a JSON string contains, such as 30 for "30", because some
// services write all values as strings. It returns nil for "", which such services write for null. It returns every
// other value unchanged.
func withoutQuotes(value json.RawMessage) json.RawMessage {
	var text string
	switch {
	case !bytes.HasPrefix(value, []byte(`"`)) || json.Unmarshal(value, &text) != nil:
		return value
	case text == "":
		return nil
	case json.Valid([]byte(text)) && text == strings.TrimSpace(text) && isScalar([]byte(text)):
		return json.RawMessage(text)
	}
	return value
}

// array calls read for each element of an array. An absent array is empty.
func (o *jsonObject) array(name string, read func(i int, element json.RawMessage) error) {
	_, value := o.take(name)
	if value == nil {
		return
	}
	if value[0] != '[' {
		o.expected(name, "an array", value)
		return
	}
	if err := eachElement(value, read); err != nil {
		o.fail(fmt.Errorf("in the member %q: %w", name, err))
	}
}

// objects calls read for each object in an array. An absent array is empty.
func (o *jsonObject) objects(name string, read func(*jsonObject)) {
	o.array(name, func(i int, element json.RawMessage) error {
		inner, err := parseObject(element)
		if err == nil {
			read(inner)
			err = inner.err
		}
		if err != nil {
			return fmt.Errorf("element %d: %w", i+1, err)
		}
		return nil
	})
}

// object reads a member that is an object. It returns nil if the member is absent or null.
func (o *jsonObject) object(name string) *jsonObject {
	_, value := o.take(name)
	if value == nil {
		return nil
	}
	inner, err := parseObject(value)
	if err != nil {
		o.expected(name, "an object", value)
		return nil
	}
	return inner
}

// putBackRest ends the reading of inner, which is the value of the member of o with this name. It adds the error of
// inner to o. It puts the members of inner that were not read back into o, under the same name.
func (o *jsonObject) putBackRest(name string, inner *jsonObject) {
	if inner.err != nil {
		o.fail(fmt.Errorf("in the member %q: %w", name, inner.err))
	}
	if len(inner.members) > 0 {
		o.members[name] = marshal(inner.members)
	}
}

var errNoID = errors.New(`got an object without "id"`)

// id reads the ID that each resource has.
func (o *jsonObject) id() string {
	id := o.text("id")
	if id == "" {
		o.fail(errNoID)
	}
	return id
}

// selfLink reads the links, and returns the address of the resource, or nil.
func (o *jsonObject) selfLink() *string {
	links, _ := linksOf(o.members["_links"]) // nothing requires links, so another form is no error
	o.drop("_links")
	if address := hrefOf(links, "self"); address != "" {
		return &address
	}
	return nil
}

// extra returns the remaining members, except `_links`, as normalized JSON: members sorted, numbers exactly as written,
// and secrets hidden. It returns nil if there are no such members.
func (o *jsonObject) extra(s *secrets) *string {
	o.drop("_links")
	if len(o.members) == 0 {
		return nil
	}
	text := s.hideIn(normalize(marshal(o.members)))
	return &text
}

// normalize returns valid JSON with sorted members and without spaces. Numbers stay exactly as they are written.
func normalize(text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	_ = dec.Decode(&v)
	return string(marshal(v))
}
