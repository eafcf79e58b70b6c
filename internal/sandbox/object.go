// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// Object is a JSON object that keeps unknown members, the order of its members, and the exact spelling of every value.
// 30.0 stays 30.0, and an integer keeps all of its digits.
type Object []Member

// Member is one name and value of an [Object].
type Member struct {
	Name  string
	Value json.RawMessage
}

// ParseObject reads one JSON object. It rejects an object with two members of the same name, and text after the object.
func ParseObject(text []byte) (Object, error) {
	var object Object
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("null instead of an object")
	}
	return object, nil
}

// Get returns the value of a member and whether the member exists.
func (o Object) Get(name string) (json.RawMessage, bool) {
	for _, member := range o {
		if member.Name == name {
			return member.Value, true
		}
	}
	return nil, false
}

// Text returns the value of a member that is a string, or "".
func (o Object) Text(name string) string {
	var text string
	if value, ok := o.Get(name); ok && json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

// Set replaces the value of a member, or adds the member at the end. It panics if JSON cannot represent the value.
func (o *Object) Set(name string, value any) {
	text, err := encodeJSON(value)
	if err != nil {
		panic(fmt.Sprintf("sandbox: member %q: %v", name, err))
	}
	for i := range *o {
		if (*o)[i].Name == name {
			(*o)[i].Value = text
			return
		}
	}
	*o = append(*o, Member{name, text})
}

// objectOf returns an object with the given members, followed by the members of extra, which the specification does not
// name. The arguments for members are a name, its value, the next name, its value, and so on. objectOf omits a member
// whose value is [absent].
func objectOf(extra Object, members ...any) Object {
	object := Object{}
	for i := 0; i < len(members); i += 2 {
		name, _ := members[i].(string)
		if value := members[i+1]; value != absent {
			object.Set(name, value)
		}
	}
	return append(object, extra...)
}

// absent is the value of a member that objectOf omits.
var absent any = new(struct{ absent bool })

// present returns a text or a list, or absent if it is empty.
func present[T string | []string](value T) any {
	if len(value) == 0 {
		return absent
	}
	return value
}

// Delete removes a member if it exists.
func (o *Object) Delete(name string) {
	*o = o.filter(func(other string) bool { return other != name })
}

// filter returns the members for whose names the function keep returns true.
func (o Object) filter(keep func(name string) bool) Object {
	kept := Object{}
	for _, member := range o {
		if keep(member.Name) {
			kept = append(kept, member)
		}
	}
	return kept
}

// MarshalJSON writes the members in their order, and their values as they are. It writes a nil Object as null.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	var text bytes.Buffer
	text.WriteByte('{')
	for i, member := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		name, err := encodeJSON(member.Name)
		if err != nil {
			return nil, err
		}
		text.Write(name)
		text.WriteByte(':')
		text.Write(member.Value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// UnmarshalJSON reads the members in their order. It turns null into a nil Object. It returns an error if the value is
// not an object, or if a name occurs twice. If it returns an error, o does not change. It does not check for text after
// the object, because [json.Unmarshal] rejects such text.
func (o *Object) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	opening, err := decoder.Token()
	if err != nil {
		return err
	}
	if opening == nil {
		*o = nil
		return nil
	}
	if opening != json.Delim('{') {
		return fmt.Errorf("%s instead of an object", describeJSON(text))
	}
	object, seen := Object{}, map[string]bool{}
	for decoder.More() {
		member, err := readMember(decoder)
		if err != nil {
			return err
		}
		if seen[member.Name] {
			return fmt.Errorf("the object has the name %q twice", member.Name)
		}
		seen[member.Name] = true
		object = append(object, member)
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return err
	}
	*o = object
	return nil
}

// readMember reads the next name of an object, and its value. The value keeps its spelling, but not the spaces around
// it and between its parts.
func readMember(decoder *json.Decoder) (Member, error) {
	token, err := decoder.Token()
	if err != nil {
		return Member{}, err
	}
	name, _ := token.(string) // in an object, the decoder accepts only a string here
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return Member{}, err
	}
	value, err = compacted(value)
	return Member{name, value}, err
}

// compacted returns a JSON text without the spaces between its parts.
func compacted(text json.RawMessage) (json.RawMessage, error) {
	if !bytes.ContainsAny(text, " \t\r\n") { // most texts need no copy
		return text, nil
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, text)
	return compact.Bytes(), err
}

// encodeJSON writes JSON without HTML escapes.
func encodeJSON(value any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(text.Bytes(), []byte("\n"))), nil // without the spare capacity of the buffer
}

// sameJSON reports whether two JSON texts are equal. It ignores escapes and the order of members. It compares the order
// of array elements and the spelling of numbers, so 30 and 30.0 are not equal.
func sameJSON(a, b json.RawMessage) bool {
	left, errLeft := decodeExactly(a)
	right, errRight := decodeExactly(b)
	return errLeft == nil && errRight == nil && reflect.DeepEqual(left, right)
}

// decodeExactly decodes one JSON text and keeps the spelling of its numbers.
func decodeExactly(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return value, nil
}

// jsonKinds contains the kind of a JSON value by its first character. It does not contain numbers.
var jsonKinds = map[byte]string{
	'{': "an object", '[': "an array", '"': "a string", 't': "a boolean", 'f': "a boolean", 'n': "null",
}

// describeJSON names the kind of a JSON text for a message.
func describeJSON(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return "nothing"
	}
	return cmp.Or(jsonKinds[text[0]], "a number")
}
