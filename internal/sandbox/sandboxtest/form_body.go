// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// charsets are the charsets of a body, and what its Content-Type declares. A character that a charset lacks is escaped.
var charsets = []struct {
	name     string
	charset  *charmap.Charmap // nil: UTF-8
	declared string
}{
	{"utf-8 declared", nil, `"UTF-8"`},
	{"latin1 declared", charmap.ISO8859_1, "ISO-8859-1"},
	{"latin1 undeclared", charmap.ISO8859_1, ""},
	{"latin1 alias", charmap.ISO8859_1, "latin1"},
	{"windows-1252 declared", charmap.Windows1252, "windows-1252"},
	{"windows-1252 undeclared", charmap.Windows1252, ""},
	{"windows-1252 declared as iso-8859-1", charmap.Windows1252, "iso-8859-1"},
	{"utf-16", nil, "utf-16"},
	{"utf-16 without a mark", nil, "utf-16"},
	{"utf-8 declared as iso-8859-1", nil, "ISO-8859-1"},
	{"iso-8859-2 declared", charmap.ISO8859_2, "iso-8859-2"},
	{"windows-1251 declared", charmap.Windows1251, "windows-1251"},
	{"latin1 declared as unknown", charmap.ISO8859_1, "x-unknown"},
}

func charsetNames() (names []string) {
	for _, c := range charsets {
		names = append(names, c.name)
	}
	return names
}

// mustDeclare are the encodings that nobody can read without their Content-Type.
var mustDeclare = []string{"iso-8859-2 declared", "windows-1251 declared"}

// write writes a successful answer in its form.
func (s *Service) write(f Form, a *arrival, given *response) {
	if f == (Form{}) {
		return
	}
	if f.SelfLinks == "inner host" || f.SelfLinks == "path" {
		if location := given.header.Get("Location"); location != "" {
			given.header.Set("Location", f.selfLink(location))
		}
	}
	if strings.EqualFold(f.Written, a.method) {
		given.status, given.body = http.StatusOK, []byte("OK\n")
		given.header.Set("Content-Type", "text/plain; charset=utf-8")
		return
	}
	if len(given.body) > 0 {
		given.body = f.encode(f.spell(s.rewrite(f, a, "", given.body)), given.header)
	}
	switch f.ContentType {
	case "none":
		given.header.Del("Content-Type")
	case "text":
		given.header.Set("Content-Type", "text/plain")
	case "vendor":
		given.header.Set("Content-Type", "application/vnd.example.v2+json")
	}
	given.body = f.compress(given.body, given.header)
}

// rewrite changes all objects in some JSON. name is that of the member that contains it.
func (s *Service) rewrite(f Form, a *arrival, name string, text json.RawMessage) json.RawMessage {
	switch text[0] {
	case '[':
		elements := parsed[[]json.RawMessage](text)
		if len(elements) == 0 && f.Arrays != "" && slices.Contains(listMembers, name) {
			return json.RawMessage(map[string]string{"null": "null", "object": "{}"}[f.Arrays])
		}
		for i, element := range elements {
			elements[i] = s.rewrite(f, a, name, element)
		}
		return encode(elements)
	case '{':
		o := parsed[sandbox.Object](text)
		for i := range o {
			o[i].Value = s.rewrite(f, a, o[i].Name, o[i].Value)
		}
		if name != "_links" {
			if f.Late == "status" {
				s.hide(a, &o)
			}
			f.object(name, &o)
		}
		for i := range o {
			if f.Objects == "array" && string(o[i].Value) == "{}" {
				o[i].Value = json.RawMessage("[]")
			}
		}
		return encode(o)
	}
	return f.scalar(name, text)
}

// spell writes JSON with other characters.
func (f Form) spell(text []byte) []byte {
	switch f.Text {
	case "escaped":
		return []byte(strings.ReplaceAll(escape(text, func(r rune) bool { return r <= '~' }), "/", `\/`))
	case "marked":
		return append([]byte("\ufeff"), text...)
	case "indented":
		var indented bytes.Buffer
		if json.Indent(&indented, text, "\r\n", "\t") == nil {
			return append([]byte(" \r\n"), append(indented.Bytes(), "\r\n\r\n"...)...)
		}
	}
	return text
}

// escape writes the characters that keep does not accept as \uXXXX.
func escape(text []byte, keep func(rune) bool) string {
	var out strings.Builder
	for _, r := range string(text) {
		if keep(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// encode writes a body in a charset.
func (f Form) encode(text []byte, header http.Header) []byte {
	i := slices.Index(longLists["Charset"], f.Charset)
	if i < 0 {
		return text
	}
	charset, declared := charsets[i].charset, charsets[i].declared
	header.Set("Content-Type", strings.TrimSuffix("application/json; charset="+declared, "; charset="))
	if charset == nil && declared != "utf-16" {
		return text
	}
	encoded := []byte{}
	if charset == nil {
		if f.Charset == "utf-16" {
			encoded = []byte{0xFE, 0xFF}
		}
		for _, unit := range utf16.Encode([]rune(string(text))) {
			encoded = append(encoded, byte(unit>>8), byte(unit))
		}
		return encoded
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	known := func(r rune) bool {
		b, ok := charset.EncodeRune(r)
		return ok && (b < 0x80 || r >= 0xA0 || charset != charmap.ISO8859_1 && charset != charmap.ISO8859_2)
	}
	for _, r := range escape(text, known) {
		b, _ := charset.EncodeRune(r)
		encoded = append(encoded, b)
	}
	return encoded
}

// compress compresses a body. Only "gzip" and "deflate" have the header.
func (f Form) compress(text []byte, header http.Header) []byte {
	if f.Compression == "" || len(text) == 0 {
		return text
	}
	var out bytes.Buffer
	var writer io.WriteCloser = gzip.NewWriter(&out)
	switch f.Compression {
	case "deflate":
		writer = zlib.NewWriter(&out)
	case "unnamed deflate":
		writer, _ = flate.NewWriter(&out, flate.DefaultCompression) // the level is valid
	}
	_, _ = writer.Write(text) // a buffer returns no errors
	_ = writer.Close()
	if !strings.HasPrefix(f.Compression, "unnamed") {
		header.Set("Content-Encoding", f.Compression)
	}
	return out.Bytes()
}

// uncompressed does what [http.Transport] does for a client that did not ask for gzip itself.
func uncompressed(r *http.Request, given response) response {
	if r.Header.Get("Accept-Encoding") != "" || given.header.Get("Content-Encoding") != "gzip" {
		return given
	}
	reader, err := gzip.NewReader(bytes.NewReader(given.body))
	if err != nil {
		return given
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return given
	}
	given.header.Del("Content-Encoding")
	given.body = text
	return given
}
