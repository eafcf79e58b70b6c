// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Form is how a service, or a gateway in front of it, writes data that the sandbox would return. The zero value is the
// form of the contract.
type Form struct {
	Numbers     string // "text": "87.5"
	Charset     string // "latin1 declared"
	Compression string // "unnamed gzip": without Content-Encoding
	PageSize    int    // smaller than what the client asks for
	LinkQuery   string // "fields": links to other pages lack that parameter
	Links       string // "host": they name a host that only something behind a gateway knows
}

// numberMembers are the members of the contract that are numbers.
var numberMembers = []string{"suitability", "percentile", "numberOfQuestions"}

// ask changes the query of a list to what the service should do.
func (f Form) ask(query url.Values) {
	if asked, err := strconv.Atoi(query.Get("limit")); f.PageSize > 0 && (err != nil || asked > f.PageSize) {
		query.Set("limit", strconv.Itoa(f.PageSize))
	}
}

// link returns the address of another page, whose query it may change.
func (f Form) link(u *url.URL, query url.Values) string {
	if f.LinkQuery != "" {
		query.Del(f.LinkQuery)
	}
	u.RawQuery = query.Encode()
	if f.Links == "host" {
		u.Host = "inner.example:8080"
	}
	return u.String()
}

// write writes a successful answer in its form.
func (f Form) write(given *response) {
	if f == (Form{}) || len(given.body) == 0 {
		return
	}
	if f.Numbers == "text" {
		given.body = numbersAsText("", given.body)
	}
	if f.Charset == "latin1 declared" {
		given.header.Set("Content-Type", "application/json; charset=ISO-8859-1")
		given.body = latin1(given.body)
	}
	if f.Compression == "unnamed gzip" {
		var out bytes.Buffer
		writer := gzip.NewWriter(&out)
		_, _ = writer.Write(given.body) // a buffer returns no errors
		_ = writer.Close()
		given.body = out.Bytes()
	}
}

// latin1 writes JSON in Latin1. Other characters are escaped; no test has one beyond U+FFFF.
func latin1(text []byte) (out []byte) {
	for _, r := range string(text) {
		if r > 0xff {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, byte(r))
		}
	}
	return out
}

// numbersAsText writes the numbers of the contract as strings. name is that of the member that contains the text.
func numbersAsText(name string, text json.RawMessage) json.RawMessage {
	switch text[0] {
	case '[':
		elements := parsed[[]json.RawMessage](text)
		for i, element := range elements {
			elements[i] = numbersAsText(name, element)
		}
		return encode(elements)
	case '{':
		o := parsed[sandbox.Object](text)
		for i := range o {
			o[i].Value = numbersAsText(o[i].Name, o[i].Value)
		}
		return encode(o)
	}
	if slices.Contains(numberMembers, name) && string(text) != "null" {
		return json.RawMessage(strconv.Quote(string(text)))
	}
	return text
}

// linkHeader writes links as RFC 8288 says.
func linkHeader(header http.Header, links []pageLink) {
	header.Del("Link")
	text := ""
	for _, link := range links {
		if text != "" {
			text += ", "
		}
		text += "<" + link.Href + `>; rel="` + link.Rel + `"`
	}
	if text != "" {
		header.Set("Link", text)
	}
}
