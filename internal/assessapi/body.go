// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// asJSON converts the body of a response to UTF-8, unless it is compressed. If the body is not JSON in a known charset,
// problem is the reason. It contains at most one character of the body, because a body may contain personal data.
func asJSON(body []byte, header http.Header) (text []byte, problem error) {
	if problem := compression(body, header); problem != nil {
		return body, problem
	}
	text = asUTF8(body)
	if problem := CheckEncoding(header, body); problem != nil {
		return text, problem
	}
	return text, checkSyntax(text)
}

// CheckEncoding returns an error if a body is compressed, or in a charset that the client cannot read.
func CheckEncoding(header http.Header, body []byte) error {
	charset := unknownCharset(header.Get("Content-Type"))
	if problem := compression(body, header); problem != nil || charset == "" {
		return problem
	}
	if utf8.Valid(body) && json.Valid(asUTF8(body)) { // JSON in UTF-8 is hardly ever in another charset
		return nil
	}
	return fmt.Errorf("the response is in the charset %q, which the provider cannot read", charset)
}

// compression returns an error if a body is compressed, or nil.
func compression(body []byte, header http.Header) error {
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return fmt.Errorf("the response is compressed (%s), although the provider did not ask for that", encoding)
	}
	if bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		return errors.New("the response is compressed (gzip), but no header says so. A gateway may have dropped the " +
			"header Content-Encoding")
	}
	return nil
}

// checkSyntax returns an error if a text is not JSON, or is nested deeper than the 10,000 levels that encoding/json
// allows. The error says what the text is instead, or at which byte of the text it stops being JSON.
func checkSyntax(text []byte) error {
	switch {
	case json.Valid(text):
		return nil
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the response is empty instead of JSON")
	case isWebPage(text):
		return errors.New("the response is a web page instead of JSON, probably of a gateway or a firewall")
	}
	// The text is invalid, so Unmarshal returns a SyntaxError.
	syntax, _ := errors.AsType[*json.SyntaxError](json.Unmarshal(text, new(any)))
	before := text[:syntax.Offset-1] // Offset counts this byte, which may be a line break
	line := 1 + bytes.Count(before, []byte("\n"))
	return fmt.Errorf("the response is not JSON: %w (byte %d, line %d)", syntax, syntax.Offset, line)
}

// asUTF8 converts a text to UTF-8, and removes a byte order mark, with which JSON cannot start. It decodes a text that
// is not valid UTF-8 as windows-1252. The five bytes that windows-1252 does not define become control characters, as in
// Latin1, so that no byte is lost.
func asUTF8(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if utf8.Valid(text) {
		return text
	}
	decoded := make([]byte, 0, 2*len(text))
	for _, b := range text {
		character := charmap.Windows1252.DecodeByte(b)
		if character == utf8.RuneError { // windows-1252 does not define b
			character = rune(b)
		}
		decoded = utf8.AppendRune(decoded, character)
	}
	return decoded
}

// unknownCharset returns the charset that contentType declares. It returns "" if contentType declares no charset, or a
// charset that asUTF8 decodes.
func unknownCharset(contentType string) string {
	_, parameters, _ := mime.ParseMediaType(contentType) // no parameters after an error
	charset := strings.TrimSpace(parameters["charset"])
	known := []string{"utf-8", "utf8", "iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252", "cp1252"}
	if slices.Contains(known, strings.ToLower(charset)) {
		return ""
	}
	return charset
}

const (
	// maxElements is how many elements a list may have.
	maxElements = 100_000
	// maxDepth is how deep the values of a response may be nested.
	maxDepth = 100
)

// checkDepth returns an error if valid JSON is nested deeper than maxDepth levels, because the CLIs need very long to
// show deeply nested values. The error is a sentence such as "it is nested deeper than 100 levels".
func checkDepth(text []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++ // skips the escaped byte, which may be a quotation mark
		case c == '"':
			inString = !inString
		case inString: // brackets in a string do not count
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		}
		if depth > maxDepth {
			return fmt.Errorf("it is nested deeper than %d levels", maxDepth)
		}
	}
	return nil
}

// eachElement calls read for each element of an array, one at a time, so that a large list needs little memory. The
// parameter array must be valid JSON. i counts from 0. If read returns an error, eachElement ends and returns this
// error. It also returns an error if the JSON is not an array, and after maxElements elements if there are more.
func eachElement(array []byte, read func(i int, element json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(array))
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return fmt.Errorf("expected an array, got %s", describeJSON(array))
	}
	for i := 0; dec.More(); i++ {
		if i == maxElements {
			return fmt.Errorf("the list has more than %d elements", maxElements)
		}
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return err
		}
		if err := read(i, element); err != nil {
			return err
		}
	}
	return nil
}
