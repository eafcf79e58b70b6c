// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// jsonObject is a JSON object that is being read. Each member that is read is removed, so
// that the remaining members are those that the client does not model. The first member
// with an unexpected type becomes the error of the object, so callers check for an error
// only once, at the end.
type jsonObject struct {
	raw     json.RawMessage // of an element of a list, exactly as the service returned it
	members map[string]json.RawMessage
	mask    *mask // for the members that the client does not model
	err     error
}

// parseJSONObject reads exactly one JSON object.
func parseJSONObject(text []byte) (*jsonObject, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return nil, fmt.Errorf("expected an object, got %s", describeJSON(text))
	}
	return &jsonObject{members: members}, nil
}

// jsonKinds are the kinds of JSON values by the first character, except objects and numbers.
var jsonKinds = map[byte]string{'[': "an array", '"': "a string", 'n': "null", 't': "a boolean", 'f': "a boolean"}

// describeJSON returns the type of a JSON value without the value, which may be personal
// data.
func describeJSON(text []byte) string {
	text = bytes.TrimSpace(text)
	switch {
	case !json.Valid(text):
		return "something that is not JSON"
	case text[0] != '{':
		return cmp.Or(jsonKinds[text[0]], "a number")
	}
	o, _ := parseJSONObject(text) // it is one
	names := o.names()
	for i := range names {
		names[i] = strconv.Quote(names[i])
	}
	switch {
	case len(names) == 0:
		return "an empty object"
	case len(names) > 10:
		names = append(names[:10], "…")
	}
	return "an object with " + strings.Join(names, ", ")
}

// take returns the first of the named members that is present and not null. It removes
// the members with all these names.
func (o *jsonObject) take(names []string) (string, json.RawMessage) {
	var (
		found string
		value json.RawMessage
	)
	for _, name := range names {
		if v, ok := o.members[name]; ok && value == nil && string(bytes.TrimSpace(v)) != "null" {
			found, value = name, v
		}
		delete(o.members, name)
	}
	return found, value
}

func (o *jsonObject) drop(name string) { delete(o.members, name) }

// names returns the remaining members, sorted.
func (o *jsonObject) names() []string { return slices.Sorted(maps.Keys(o.members)) }

func (o *jsonObject) fail(name, due string, value json.RawMessage) {
	o.failAt(fmt.Sprintf("the member %q", name), due, value)
}

func (o *jsonObject) failAt(place, due string, value json.RawMessage) {
	if o.err == nil {
		o.err = fmt.Errorf("expected %s to be %s, got %s", place, due, describeJSON(value))
	}
}

// name reads a name, a title or a code. CLIs change all strings to composed characters (NFC),
// so a name of other characters could not be found.
func (o *jsonObject) name(member string) *string {
	name := o.string(member)
	if name != nil {
		*name = norm.NFC.String(*name)
	}
	return name
}

// string reads a string. A number is returned in digits, because some services use numbers as ids.
func (o *jsonObject) string(names ...string) *string {
	name, value := o.take(names)
	if value == nil {
		return nil
	}
	var s string
	if json.Unmarshal(value, &s) == nil {
		return &s
	}
	var n json.Number
	if json.Unmarshal(value, &n) == nil {
		s = inDigits(n.String())
		return &s
	}
	o.fail(name, "a string", value)
	return nil
}

// text reads a string for which an empty one means the same as none.
func (o *jsonObject) text(names ...string) string {
	s := o.string(names...)
	if s == nil {
		return ""
	}
	return *s
}

// someString is string for a text that means nothing if it is empty.
func (o *jsonObject) someString(name string) *string {
	if s := o.string(name); s != nil && *s != "" {
		return s
	}
	return nil
}

// inDigits returns a whole number in digits, such as 7001 for 7001.0 and 7.001e3, because a service
// accepts its ids only in digits. It returns any other number as it is written.
func inDigits(number string) string {
	if len(number) > 60 || !strings.ContainsAny(number, ".eE") {
		return number
	}
	f, _, err := big.ParseFloat(number, 10, 512, big.ToNearestEven)
	if err != nil || !f.IsInt() || f.MantExp(nil) > 128 { // longer ones are no ids
		return number
	}
	return f.Text('f', 0)
}

func (o *jsonObject) bool(names ...string) *bool {
	name, value := o.take(names)
	return scalar[bool](o, name, value, "a boolean")
}

// float reads a number as the nearest float64.
func (o *jsonObject) float(names ...string) *float64 { return o.floatOf(o.take(names)) }

// floatOf converts a value that was taken.
func (o *jsonObject) floatOf(name string, value json.RawMessage) *float64 {
	return scalar[float64](o, name, value, "a number of ordinary size")
}

// number reads a number with a precision of 512 bits.
func (o *jsonObject) number(name string) *big.Float {
	_, value := o.take([]string{name})
	n := scalar[json.Number](o, name, value, "a number of ordinary size")
	if n == nil {
		return nil
	}
	if len(*n) <= 400 {
		if f, _, err := big.ParseFloat(n.String(), 10, 512, big.ToNearestEven); err == nil && !f.IsInf() {
			return f
		}
	}
	o.fail(name, "a number of ordinary size", value)
	return nil
}

// scalar converts a taken value to a number or a boolean. It returns nil if the member is absent.
func scalar[T bool | float64 | json.Number](o *jsonObject, name string, value json.RawMessage, due string) *T {
	if value = withoutQuotes(value); value == nil {
		return nil
	}
	var decoded T
	if json.Unmarshal(value, &decoded) != nil {
		o.fail(name, due, value)
		return nil
	}
	return &decoded
}

// withoutQuotes returns the number or the boolean in a text. Some services write all values as texts, and "" for
// null. Only a text that is exactly a JSON number or boolean counts as one. Other values stay as they are.
func withoutQuotes(value json.RawMessage) json.RawMessage {
	text, isText := textOf(value)
	switch {
	case !isText:
		return value
	case text == "":
		return nil
	}
	var decoded any
	if json.Unmarshal([]byte(text), &decoded) != nil || text != strings.TrimSpace(text) {
		return value
	}
	switch decoded.(type) {
	case bool, float64:
		return json.RawMessage(text)
	}
	return value
}

// textOf returns the text of a JSON string.
func textOf(value json.RawMessage) (text string, isText bool) {
	isText = bytes.HasPrefix(value, []byte(`"`)) && json.Unmarshal(value, &text) == nil
	return text, isText
}

// someStrings reads an array of strings that means nothing if it is empty.
func (o *jsonObject) someStrings(name string) (all []string) {
	for _, element := range o.array(name, "strings") {
		one := jsonObject{members: map[string]json.RawMessage{name: element}}
		text := one.string(name)
		if text == nil {
			o.failAt(fmt.Sprintf("an element of %q", name), "a string", element)
			return nil
		}
		all = append(all, *text)
	}
	return all
}

// each calls read for each object in an array. An absent array is empty.
func (o *jsonObject) each(name string, read func(*jsonObject)) {
	for _, element := range o.array(name, "objects") {
		inner, err := parseJSONObject(element)
		if err != nil {
			o.failAt(fmt.Sprintf("an element of %q", name), "an object", element)
			return
		}
		read(inner)
		o.failIn(name, inner)
	}
}

// array reads the elements of a member that is an array. It returns nil if the member is absent. PHP writes some empty
// arrays as objects, and empty objects as arrays.
func (o *jsonObject) array(name, dueElements string) (elements []json.RawMessage) {
	_, value := o.take([]string{name})
	if value != nil && !isEmpty(value) && json.Unmarshal(value, &elements) != nil {
		o.fail(name, "an array of "+dueElements, value)
	}
	return elements
}

// object reads a member that is an object. It returns nil if the member is absent or
// null.
func (o *jsonObject) object(name string) *jsonObject {
	_, value := o.take([]string{name})
	if value == nil {
		return nil
	}
	inner, err := parseJSONObject(value)
	switch {
	case isEmpty(value):
		return &jsonObject{}
	case err != nil:
		o.fail(name, "an object", value)
		return nil
	}
	return inner
}

// isEmpty reports whether a value is an empty array or object.
func isEmpty(value json.RawMessage) bool {
	text := string(bytes.Join(bytes.Fields(value), nil))
	return text == "[]" || text == "{}"
}

// failIn passes on the error of an inner object.
func (o *jsonObject) failIn(name string, inner *jsonObject) {
	if o.err == nil && inner.err != nil {
		o.err = fmt.Errorf("in the member %q: %w", name, inner.err)
	}
}

// join adds the remaining members of an inner object, so that they are not lost.
func (o *jsonObject) join(name string, inner *jsonObject) {
	o.failIn(name, inner)
	if len(inner.members) > 0 {
		o.members[name] = marshal(inner.members)
	}
}

// identity reads the id that each resource has.
func (o *jsonObject) identity() string {
	id := o.text("id")
	if id == "" {
		o.missing("id")
	}
	return id
}

func (o *jsonObject) missing(name string) {
	if o.err == nil {
		o.err = fmt.Errorf("got an object without %q", name)
	}
}

// selfLink reads the links, and returns the address of the resource. It returns nil if
// there is none.
func (o *jsonObject) selfLink() *string {
	links, _ := linksOf(o.members["_links"])
	o.drop("_links")
	if address := hrefOf(links, "self"); address != "" {
		return &address
	}
	return nil
}

// extra returns the remaining members as normalized JSON: members sorted, numbers exactly
// as written. It returns nil if there are none.
func (o *jsonObject) extra() *string {
	o.drop("_links")
	if len(o.members) == 0 {
		return nil
	}
	text := o.mask.JSON(normalize(marshal(o.members)))
	return &text
}

// normalize returns valid JSON with sorted members and without spaces. Numbers stay exactly as
// they are written.
func normalize(text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	_ = dec.Decode(&v)
	return string(marshal(v))
}

// link is an element of `_links`.
type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// linksOf reads `_links`: an array of links or, as in HAL, an object with the links of each relation. It returns an
// empty result if the member is absent or null.
func linksOf(text json.RawMessage) (links []link, err error) {
	if text == nil || json.Unmarshal(text, &links) == nil {
		return links, nil
	}
	var relations map[string]json.RawMessage
	err = json.Unmarshal(text, &relations)
	for _, relation := range slices.Sorted(maps.Keys(relations)) {
		all := make([]link, 1) // one link or several
		if value := relations[relation]; json.Unmarshal(value, &all[0]) != nil {
			err = cmp.Or(err, json.Unmarshal(value, &all))
		}
		for _, l := range all {
			links = append(links, link{Rel: relation, Href: l.Href})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("expected the member %q to be an array of links, got %s", "_links", describeJSON(text))
	}
	return links, nil
}
