// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
)

// Object is a JSON object that keeps unknown members, the order of its members, and the spelling of numbers. 30.0 stays
// 30.0, and an integer keeps all of its digits. Encoders remove spaces from its values.
type Object []Member

// Member is one name and value of an [Object].
type Member struct {
	Name  string
	Value json.RawMessage
}

// ParseObject reads one JSON object. It rejects an object with two members of the same name, and text after the object.
func ParseObject(text []byte) (object Object, err error) {
	err = json.Unmarshal(text, &object)
	return object, err
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
	value, _ := o.Get(name)
	_ = json.Unmarshal(value, &text) // an error leaves ""
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

// MarshalJSON writes the members in their order, and their values as they are.
func (o Object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, member := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		name, _ := encodeJSON(member.Name) // encoding a string never fails
		text.Write(name)
		text.WriteByte(':')
		text.Write(member.Value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// UnmarshalJSON reads the members of a valid JSON text in their order. It returns an error if the text is not an
// object, or if two members have the same name.
func (o *Object) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	opening, err := decoder.Token()
	if err != nil {
		return err
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
	*o = object
	return nil
}

// readMember reads the next name of an object, and its value in the same spelling.
func readMember(decoder *json.Decoder) (Member, error) {
	token, err := decoder.Token()
	if err != nil {
		return Member{}, err
	}
	name, _ := token.(string) // in an object, the decoder accepts only a string here
	var value json.RawMessage
	err = decoder.Decode(&value)
	return Member{name, value}, err
}

// encodeJSON writes JSON without HTML escapes, and without spaces.
func encodeJSON(value any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// sameJSON reports whether the values of two members are equal. It ignores escapes and the order of members. It
// compares the order of array elements and the spelling of numbers, so 30 and 30.0 are not equal.
func sameJSON(a, b json.RawMessage) bool {
	return reflect.DeepEqual(decodeExactly(a), decodeExactly(b))
}

// decodeExactly decodes the value of a member, and keeps the spelling of its numbers.
func decodeExactly(value json.RawMessage) (decoded any) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	_ = decoder.Decode(&decoded) // the value is valid JSON
	return decoded
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
