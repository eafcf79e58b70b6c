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

	"golang.org/x/text/encoding/charmap"
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
	if utf8.Valid(text) {
		return text, nil
	}
	_, parameters, _ := mime.ParseMediaType(contentType)
	label := strings.TrimSpace(parameters["charset"])
	name := charsetName(label)
	charset := singleByteCharset(name)
	decode, err := windows1252, error(nil)
	switch {
	case slices.Contains(windows1252Names, name):
	case charset != nil:
		decode = func(b byte) rune {
			if strings.HasPrefix(name, "iso8859") && b >= 0x80 && b <= 0x9f {
				return windows1252(b) // instead of control characters, which nobody writes
			}
			return charset.DecodeByte(b)
		}
		if slices.ContainsFunc(text, func(b byte) bool { return decode(b) == utf8.RuneError }) {
			decode, err = windows1252, &charsetError{label, true}
		}
	case slices.ContainsFunc(multiByteNames, func(prefix string) bool { return strings.HasPrefix(name, prefix) }),
		!slices.ContainsFunc(text, func(b byte) bool { return b >= 0x80 && b <= 0x9f }),
		slices.ContainsFunc(text, isUnassigned):
		err = &charsetError{label, false}
	}
	return decodeText(text, decode), err
}

var (
	// windows1252Names are what bodies in windows-1252 declare, because windows-1252 contains it, or by mistake.
	windows1252Names = []string{
		"", "windows1252", "iso88591", "latin1", "l1", "ascii", "usascii", "utf8", "utf16", "utf16le", "utf16be",
	}
	// multiByteNames are how the names of charsets begin whose characters have several bytes. Their tables would be
	// 3 % of the provider, and the service writes Latin1.
	multiByteNames = []string{
		"big5", "chinese", "cn", "cs", "euc", "gb", "hz", "ibm9", "iso2022", "johab", "jis", "korean", "ks", "ms9", "shift",
		"sjis", "windows31", "windows9",
	}
	// charsetSpellings are what the names of one charset differ in.
	charsetSpellings = strings.NewReplacer("-", "", "_", "", " ", "", "code page", "", "cp125", "windows125", "cp", "ibm")
)

// charsetName returns a name in one spelling: "iso88591" for "ISO_8859-1:1987".
func charsetName(label string) string {
	name, _, _ := strings.Cut(strings.ToLower(label), ":")
	return charsetSpellings.Replace(strings.TrimPrefix(name, "x-"))
}

// singleByteCharset returns the charset that has a name, or nil.
func singleByteCharset(name string) *charmap.Charmap {
	for _, known := range charmap.All {
		charset, ok := known.(*charmap.Charmap)
		if ok && charsetName(charset.String()) == name {
			return charset
		}
	}
	return nil
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

func decodeText(text []byte, decode func(byte) rune) []byte {
	decoded := make([]byte, 0, 2*len(text))
	for _, b := range text {
		decoded = utf8.AppendRune(decoded, decode(b))
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
