// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// object is a JSON object that is being read: what a reader takes is gone from
// it, and what is left in the end is what the client does not model. The first
// member of an unexpected kind is remembered as the object's error, so that a
// reader asks once, at its end.
type object struct {
	text    json.RawMessage // of an element of a list, as the service wrote it
	members map[string]json.RawMessage
	err     error
}

// parseObject reads one JSON object and nothing behind it.
func parseObject(text []byte) (*object, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return nil, fmt.Errorf("an object was due, %s came", describe(text))
	}
	return &object{members: members}, nil
}

// describe names a JSON value without repeating it: it may be personal data.
func describe(text []byte) string {
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return "something that is no JSON"
	}
	switch text[0] {
	case '{':
		var members map[string]json.RawMessage
		_ = json.Unmarshal(text, &members) // valid, as seen above
		names := make([]string, 0, len(members))
		for name := range members {
			names = append(names, strconv.Quote(name))
		}
		sort.Strings(names)
		if len(names) == 0 {
			return "an empty object"
		}
		if len(names) > 10 {
			names = append(names[:10], "…")
		}
		return "an object with " + strings.Join(names, ", ")
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}

// take removes the first of the named members that is present and not null,
// and all its other names with it.
func (o *object) take(names []string) (string, json.RawMessage) {
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

func (o *object) drop(name string) { delete(o.members, name) }

// names are the members that are left, sorted.
func (o *object) names() []string {
	names := make([]string, 0, len(o.members))
	for name := range o.members {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (o *object) fail(name, due string, value json.RawMessage) {
	o.failAt(fmt.Sprintf("the member %q", name), due, value)
}

func (o *object) failAt(place, due string, value json.RawMessage) {
	if o.err == nil {
		o.err = fmt.Errorf("%s was due to be %s, %s came", place, due, describe(value))
	}
}

// string takes a string. A number is accepted as it is spelled: some services
// number their resources.
func (o *object) string(names ...string) *string {
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
		s = n.String()
		return &s
	}
	o.fail(name, "a string", value)
	return nil
}

func (o *object) bool(names ...string) *bool {
	name, value := o.take(names)
	if value == nil {
		return nil
	}
	var b bool
	if json.Unmarshal(value, &b) != nil {
		o.fail(name, "a boolean", value)
		return nil
	}
	return &b
}

// float takes a number as the nearest float64, which the service itself uses.
func (o *object) float(names ...string) *float64 { return o.floatOf(o.take(names)) }

// floatOf reads a value that has been taken.
func (o *object) floatOf(name string, value json.RawMessage) *float64 {
	if value == nil {
		return nil
	}
	var f float64
	if json.Unmarshal(value, &f) != nil {
		o.fail(name, "a number of ordinary size", value)
		return nil
	}
	return &f
}

// number takes a number to 512 bits, which is more than any service counts.
func (o *object) number(names ...string) *big.Float {
	name, value := o.take(names)
	if value == nil {
		return nil
	}
	var n json.Number
	if json.Unmarshal(value, &n) == nil && len(n) <= 400 {
		if f, _, err := big.ParseFloat(n.String(), 10, 512, big.ToNearestEven); err == nil && !f.IsInf() {
			return f
		}
	}
	o.fail(name, "a number of ordinary size", value)
	return nil
}

// strings takes an array of strings; nil means that it is absent or null.
func (o *object) strings(name string) []string {
	_, value := o.take([]string{name})
	if value == nil {
		return nil
	}
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		o.fail(name, "an array of strings", value)
		return nil
	}
	list := make([]string, 0, len(elements))
	for _, element := range elements {
		one := object{members: map[string]json.RawMessage{name: element}}
		s := one.string(name)
		if s == nil {
			o.failAt(fmt.Sprintf("an element of %q", name), "a string", element)
			return nil
		}
		list = append(list, *s)
	}
	return list
}

// object takes a member that is itself an object; nil means absent or null.
func (o *object) object(name string) *object {
	_, value := o.take([]string{name})
	if value == nil {
		return nil
	}
	inner, err := parseObject(value)
	if err != nil {
		o.fail(name, "an object", value)
		return nil
	}
	return inner
}

// objects takes an array of objects; an absent one is empty.
func (o *object) objects(name string) []*object {
	_, value := o.take([]string{name})
	if value == nil {
		return nil
	}
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		o.fail(name, "an array of objects", value)
		return nil
	}
	list := make([]*object, 0, len(elements))
	for _, element := range elements {
		inner, err := parseObject(element)
		if err != nil {
			o.failAt(fmt.Sprintf("an element of %q", name), "an object", element)
			return nil
		}
		list = append(list, inner)
	}
	return list
}

// peekString looks at a member without taking it.
func (o *object) peekString(name string) (string, bool) {
	var s string
	err := json.Unmarshal(o.members[name], &s)
	return s, err == nil && len(o.members[name]) > 0 && o.members[name][0] == '"'
}

// join adds what an inner reader left over, so that it is not lost.
func (o *object) join(name string, inner *object) {
	if inner == nil {
		return
	}
	if o.err == nil && inner.err != nil {
		o.err = fmt.Errorf("in the member %q: %w", name, inner.err)
	}
	if len(inner.members) > 0 {
		o.members[name] = marshal(inner.members)
	}
}

// identity takes the id that every resource has (section 2.1).
func (o *object) identity() string {
	id := o.string("id")
	if id == nil || *id == "" {
		o.missing("id")
		return ""
	}
	return *id
}

func (o *object) missing(name string) {
	if o.err == nil {
		o.err = fmt.Errorf("an object without %q came", name)
	}
}

// selfLink takes the links, and returns the address under which the service
// shows the resource; nil where it does not say so in the documented way.
func (o *object) selfLink() *string {
	defer o.drop("_links")
	links, err := linksOf(o.members["_links"])
	if err != nil {
		return nil
	}
	for _, l := range links {
		if slices.Contains(strings.Fields(strings.ToLower(l.Rel)), "self") && l.Href != "" {
			return &l.Href
		}
	}
	return nil
}

// extra is what is left: a normalised JSON object with sorted members and
// numbers as they were spelled, or nil where nothing is left.
func (o *object) extra() *string {
	o.drop("_links")
	if len(o.members) == 0 {
		return nil
	}
	text, err := normalise(marshal(o.members))
	if err != nil {
		o.err = err
		return nil
	}
	return &text
}

// normalise writes JSON with sorted members and no spaces, numbers as spelled.
func normalise(text []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("more than one JSON value came")
	}
	return string(marshal(v)), nil
}

// link is an element of `_links` (section 2.1).
type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// linksOf reads `_links`, an array of link objects; absent or null it is empty.
func linksOf(text json.RawMessage) ([]link, error) {
	if text == nil {
		return nil, nil
	}
	var links []link
	if json.Unmarshal(text, &links) != nil {
		return nil, fmt.Errorf("the member %q was due to be an array of links, %s came", "_links", describe(text))
	}
	return links, nil
}
