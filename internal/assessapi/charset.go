// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// asUTF8 converts the body of a response to UTF-8. Without this, encoding/json would replace each invalid character.
//
// Bytes above 0x7F that are valid UTF-8 are UTF-8, whatever the Content-Type says, because such a body is hardly ever
// anything else, and some servers declare ISO-8859-1 for all. Other bodies are in the charset that they declare, or in
// windows-1252, which contains Latin1, because the contract names no other charset. The bytes 0x80 to 0x9F are in
// windows-1252 unless the declared charset has characters there. If the declared charset is unknown, the text must have
// such bytes, and all of them must be characters of windows-1252.
//
// The error is a [charsetError]. Then the text is what it would be in windows-1252.
func asUTF8(text []byte, contentType string) ([]byte, error) {
	if order, found := utf16Order(text); found {
		if decoded, err := unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(text); err == nil {
			text = decoded
		}
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF")) // JSON cannot start with a byte order mark
	_, parameters, _ := mime.ParseMediaType(contentType)
	label := strings.TrimSpace(parameters["charset"])
	declared, _ := htmlindex.Get(label)
	name, _ := htmlindex.Name(declared) // "" if it is not known
	switch {
	case utf8.Valid(text) && (name != "iso-2022-jp" || hasBytes(text, 0x80, 0xff)):
		return text, nil // all bytes of iso-2022-jp are ASCII
	case name == "" && label != "" && (!hasBytes(text, 0x80, 0x9f) || slices.ContainsFunc(text, isUnassigned)):
		return inWindows1252(text), &charsetError{label, false}
	case name == "", name == "utf-8", name == "windows-1252", strings.HasPrefix(name, "utf-16"):
		return inWindows1252(text), nil
	}
	decoded, err := decodeText(declared, text, strings.HasPrefix(name, "iso-8859-"))
	if err != nil {
		return inWindows1252(text), &charsetError{label, true}
	}
	return decoded, nil
}

// utf16Order returns the byte order of UTF-16: that of its byte order mark, or that of the zeros in the first
// character, because a JSON text begins with a character of ASCII.
func utf16Order(text []byte) (order unicode.Endianness, found bool) {
	switch {
	case len(text) < 2:
		return unicode.BigEndian, false
	case text[0] == 0xfe && text[1] == 0xff, text[0] == 0 && text[1] != 0:
		return unicode.BigEndian, true
	case text[0] == 0xff && text[1] == 0xfe, text[0] != 0 && text[1] == 0:
		return unicode.LittleEndian, true
	}
	return unicode.BigEndian, false
}

// decodeText decodes a text, and returns an error if it contains something else than characters of its charset. The
// bytes 0x80 to 0x9F of the ISO charsets are control characters, which nobody writes, so that they are windows-1252.
func decodeText(charset encoding.Encoding, text []byte, isISO bool) ([]byte, error) {
	decoded, err := []byte(nil), error(nil)
	if table, isTable := charset.(*charmap.Charmap); isTable {
		for _, b := range text {
			r := table.DecodeByte(b)
			if isISO && b >= 0x80 && b <= 0x9f {
				r = windows1252(b)
			}
			decoded = utf8.AppendRune(decoded, r)
		}
	} else {
		decoded, err = charset.NewDecoder().Bytes(text)
	}
	if err == nil && bytes.ContainsRune(decoded, utf8.RuneError) {
		err = encoding.ErrInvalidUTF8
	}
	return decoded, err
}

// hasBytes reports whether a text has a byte in a range.
func hasBytes(text []byte, first, last byte) bool {
	return slices.ContainsFunc(text, func(b byte) bool { return b >= first && b <= last })
}

func inWindows1252(text []byte) []byte {
	decoded := make([]byte, 0, 2*len(text))
	for _, b := range text {
		decoded = utf8.AppendRune(decoded, windows1252(b))
	}
	return decoded
}

func windows1252(b byte) rune {
	if isUnassigned(b) {
		return rune(b)
	}
	return charmap.Windows1252.DecodeByte(b)
}

// isUnassigned reports whether a byte is one of the five that have no character in windows-1252.
func isUnassigned(b byte) bool { return charmap.Windows1252.DecodeByte(b) == utf8.RuneError }

// charsetError means that a body is in a charset that cannot be read.
type charsetError struct {
	charset string
	isKnown bool // the provider knows the charset, but the body is in another one
}

func (e *charsetError) Error() string {
	if e.isKnown {
		return fmt.Sprintf("the service answered in something else than the charset %q that the header Content-Type names",
			e.charset)
	}
	return fmt.Sprintf("the service answered in the charset %q, which the provider cannot read", e.charset)
}

// Permanent reports that the next attempt has the same result.
func (*charsetError) Permanent() bool { return true }

// IsJSON reports whether the client can read a body as JSON.
func IsJSON(body []byte, contentType string) bool {
	text, err := asUTF8(body, contentType)
	return err == nil && json.Valid(text)
}

// compressedFormats are the first bytes of compressed bodies.
var compressedFormats = []struct{ magic, name string }{
	{"\x1f\x8b", "gzip"},
	{"\x28\xb5\x2f\xfd", "zstd"},
	{"\x78\x01", "deflate"},
	{"\x78\x5e", "deflate"},
	{"\x78\x9c", "deflate"},
	{"\x78\xda", "deflate"},
	{"PK\x03\x04", "zip"},
	{"BZh", "bzip2"},
	{"\xfd7zXZ", "xz"},
}

// Compression returns how a body is compressed, by its first bytes, or "".
func Compression(body []byte) string {
	for _, f := range compressedFormats {
		if bytes.HasPrefix(body, []byte(f.magic)) {
			return f.name
		}
	}
	return ""
}
