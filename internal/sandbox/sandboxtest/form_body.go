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

// encodings are the charsets of a body and whether its Content-Type declares them. A character that
// a charset lacks is escaped.
var encodings = []string{
	"utf-8 declared", "latin1 declared", "latin1 undeclared", "latin1 alias",
	"windows-1252 declared", "windows-1252 undeclared", "windows-1252 declared as iso-8859-1", "utf-16",
	"utf-16 without a mark", "utf-8 declared as iso-8859-1", "iso-8859-2 declared", "windows-1251 declared",
	"latin1 declared as unknown",
}

// write writes a successful answer in its form.
func (s *Service) write(f Form, a *arrival, given *response) error {
	if f == (Form{}) {
		return nil
	}
	if f.SelfLinks == "inner host" || f.SelfLinks == "path" {
		if location := given.header.Get("Location"); location != "" {
			given.header.Set("Location", f.selfLink(location))
		}
	}
	if strings.EqualFold(f.Written, a.method) {
		given.status, given.body = http.StatusOK, []byte("OK\n")
		given.header.Set("Content-Type", "text/plain; charset=utf-8")
		return nil
	}
	if len(given.body) > 0 {
		body, err := s.rewrite(f, a, "", given.body)
		if err != nil {
			return err
		}
		given.body = f.encode(f.spell(body), given.header)
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
	return nil
}

// rewrite changes all objects in some JSON. name is that of the member that contains it.
func (s *Service) rewrite(f Form, a *arrival, name string, text json.RawMessage) (json.RawMessage, error) {
	switch text[0] {
	case '[':
		var elements []json.RawMessage
		if err := json.Unmarshal(text, &elements); err != nil {
			return nil, err
		}
		if len(elements) == 0 && f.Arrays == "null" && slices.Contains(listMembers, name) {
			return json.RawMessage("null"), nil
		}
		for i := range elements {
			var err error
			if elements[i], err = s.rewrite(f, a, name, elements[i]); err != nil {
				return nil, err
			}
		}
		return encode(elements)
	case '{':
		o, err := sandbox.ParseObject(text)
		if err != nil {
			return nil, err
		}
		for i := range o {
			if o[i].Value, err = s.rewrite(f, a, o[i].Name, o[i].Value); err != nil {
				return nil, err
			}
		}
		if name == "_links" {
			return encode(o)
		}
		if f.Late == "status" {
			s.late.hide(a, &o)
		}
		f.object(name, &o)
		after, err := encode(o)
		if a.route == sandbox.RouteSkillsTests {
			s.remember(o, text)
		}
		return after, err
	}
	return f.scalar(name, text), nil
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
	if f.Charset == "" {
		return text
	}
	kind, declared := "application/json", ""
	charset := charmap.ISO8859_1
	switch f.Charset {
	case "utf-8 declared":
		header.Set("Content-Type", `application/json; charset="UTF-8"`)
		return text
	case "utf-8 declared as iso-8859-1":
		header.Set("Content-Type", "application/json; charset=ISO-8859-1")
		return text
	case "utf-16", "utf-16 without a mark":
		header.Set("Content-Type", "application/json; charset=utf-16")
		encoded := []byte{0xFE, 0xFF}
		if f.Charset != "utf-16" {
			encoded = nil
		}
		for _, unit := range utf16.Encode([]rune(string(text))) {
			encoded = append(encoded, byte(unit>>8), byte(unit))
		}
		return encoded
	case "latin1 declared":
		declared = "ISO-8859-1"
	case "latin1 alias":
		declared = "latin1"
	case "windows-1252 declared":
		charset, declared = charmap.Windows1252, "windows-1252"
	case "windows-1252 undeclared":
		charset = charmap.Windows1252
	case "iso-8859-2 declared":
		charset, declared = charmap.ISO8859_2, "iso-8859-2"
	case "windows-1251 declared":
		charset, declared = charmap.Windows1251, "windows-1251"
	case "latin1 declared as unknown":
		declared = "x-unknown"
	case "windows-1252 declared as iso-8859-1":
		charset, declared = charmap.Windows1252, "iso-8859-1"
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	known := func(r rune) bool {
		b, ok := charset.EncodeRune(r)
		return ok && (b < 0x80 || r >= 0xA0 || charset != charmap.ISO8859_1 && charset != charmap.ISO8859_2)
	}
	encoded := []byte{}
	for _, r := range escape(text, known) {
		b, _ := charset.EncodeRune(r)
		encoded = append(encoded, b)
	}
	if declared != "" {
		kind += "; charset=" + declared
	}
	header.Set("Content-Type", kind)
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

func parseLinks(value json.RawMessage) (links []pageLink) {
	_ = json.Unmarshal(value, &links)
	return links
}

// moreMembers are members that the contract does not have.
func moreMembers(name string, o *sandbox.Object) {
	o.Set("revision", 7)
	o.Set("region", "北 ’")
	o.Set("owner", map[string]any{"id": "someone", "active": nil})
	o.Set("archived", nil)
	isEnvelope := name == "" && slices.ContainsFunc(*o, func(m sandbox.Member) bool {
		return m.Name == "candidates" || m.Name == "items"
	})
	if !isEnvelope {
		o.Set("labels", []string{"a", "b"})
	}
}
