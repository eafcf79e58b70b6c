// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// latin1 are the names of the charset that browsers read as windows-1252 (WHATWG Encoding Standard).
var latin1 = []string{
	"cp1252", "cp819", "csisolatin1", "ibm819", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1",
	"iso_8859-1:1987", "l1", "latin1", "windows-1252", "x-cp1252",
}

// asUTF8 converts the body of a response to UTF-8. It is in windows-1252, which contains Latin1, if its
// Content-Type says so, or if it is not valid UTF-8, because the contract names no other charset. Without
// this, encoding/json would replace each invalid character.
func asUTF8(text []byte, contentType string) []byte {
	if bytes.HasPrefix(text, []byte{0xfe, 0xff}) || bytes.HasPrefix(text, []byte{0xff, 0xfe}) {
		if decoded, err := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(text); err == nil {
			text, contentType = decoded, ""
		}
	}
	if marked, found := bytes.CutPrefix(text, []byte("\uFEFF")); found {
		text, contentType = marked, "" // JSON cannot start with a byte order mark
	}
	_, parameters, _ := mime.ParseMediaType(contentType)
	if !slices.Contains(latin1, strings.ToLower(parameters["charset"])) && utf8.Valid(text) {
		return text
	}
	decoded := make([]byte, 0, 2*len(text))
	for _, b := range text {
		r := charmap.Windows1252.DecodeByte(b)
		if r == utf8.RuneError {
			r = rune(b) // five bytes have no character there
		}
		decoded = utf8.AppendRune(decoded, r)
	}
	return decoded
}

// formats are the first bytes of compressed bodies.
var formats = []struct{ magic, name string }{
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
	for _, f := range formats {
		if bytes.HasPrefix(body, []byte(f.magic)) {
			return f.name
		}
	}
	return ""
}
