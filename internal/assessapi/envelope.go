// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// page is a page of a list, as the service has written it (assumptions A1 and A2).
type page struct {
	link     string          // the link to this page, or "" for the first one
	limit    int             // how many elements were asked for, or 0
	elements json.RawMessage // an array
	next     string          // the link to the next page, or ""
	isCached bool            // a cache has answered
	envelope []member        // all members of an object around the array
}

// member is a member of an envelope, or of an object in it.
type member struct {
	path    string // such as `page.next`
	letters string // the letters of its name, in lower case
	value   json.RawMessage
}

// readPage reads a page of a list, but sets neither link nor limit. The response must be an array, or an object with
// exactly one array besides `_links` and `errors`. The link to the next page is in the header Link or, if this header
// has none, in `_links`. readPage returns an error if the object reports a failure, or if its `_links` are not links.
func readPage(r *response) (page, error) {
	p := page{next: nextOfHeader(r.header.Values("Link")), isCached: r.isCached}
	if bytes.HasPrefix(bytes.TrimSpace(r.body), []byte("[")) {
		p.elements = r.body
		return p, nil
	}
	o, err := parseObject(r.body)
	if err != nil {
		return p, fmt.Errorf("expected a list, got %s", describeJSON(r.body))
	}
	p.envelope = membersOf(o)
	for _, m := range p.envelope {
		if m.isFailure() || m.isFailureWord() {
			return p, m.failure(o)
		}
	}
	links, err := linksOf(o.members["_links"])
	if err != nil {
		return p, err // the links may contain the link to the next page
	}
	p.next = cmp.Or(p.next, hrefOf(links, "next"))
	p.elements, err = onlyArray(o)
	return p, err
}

// onlyArray returns the only array of an envelope, or an error if there is none or several. It ignores `_links` and
// `errors`, which readPage has checked.
func onlyArray(envelope *jsonObject) (json.RawMessage, error) {
	var arrays []json.RawMessage
	for _, name := range envelope.names() {
		if value := envelope.members[name]; value[0] == '[' && name != "_links" && name != "errors" {
			arrays = append(arrays, value)
		}
	}
	switch len(arrays) {
	case 0:
		return nil, fmt.Errorf("expected a list, got %s, which has no array of elements", describeJSON(envelope.raw))
	case 1:
		return arrays[0], nil
	default:
		return nil, fmt.Errorf("expected a list, got %s, which has several arrays", describeJSON(envelope.raw))
	}
}

// ReadPage returns the elements of a page, and its link to the next page as the service has written it. Both are empty
// if the client cannot read the page.
func ReadPage(header http.Header, body []byte) (elements []json.RawMessage, next string) {
	text, problem := asJSON(body, header)
	if problem != nil {
		return nil, ""
	}
	p, err := readPage(&response{header: header, body: text})
	if err != nil || json.Unmarshal(p.elements, &elements) != nil {
		return nil, ""
	}
	return elements, p.next
}

// membersOf returns the members of an envelope, and the members of the objects in it.
func membersOf(o *jsonObject) (all []member) {
	for _, name := range o.names() {
		value := o.members[name]
		all = append(all, member{name, lettersOf(name), value})
		if value[0] != '{' {
			continue
		}
		inner, _ := parseObject(value) // the value is an object
		for _, innerName := range inner.names() {
			all = append(all, member{name + "." + innerName, lettersOf(innerName), inner.members[innerName]})
		}
	}
	return all
}

func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// failureOf returns an error if the body of a 2xx response reports a failure, and nil otherwise. The response must not
// be a list.
func failureOf(body []byte) error {
	o, err := parseObject(body)
	if err != nil {
		return nil //nolint:nilerr // only an object can report a failure
	}
	for _, name := range o.names() {
		m := member{name, lettersOf(name), o.members[name]}
		if m.isFailure() {
			return m.failure(o)
		}
	}
	return nil
}

func (m member) failure(envelope *jsonObject) error {
	return fmt.Errorf("the response reports a failure in the member %q: %s", m.path, m.reason(envelope))
}

// isFailure reports whether a member says that the request has failed.
func (m member) isFailure() bool {
	switch m.letters {
	case "success", "ok":
		return string(withoutQuotes(m.value)) == "false"
	case "error", "errors":
		return !m.isEmpty()
	case "status", "statuscode":
		status, _ := m.number()
		return status >= 400
	}
	return false
}

// isFailureWord reports whether a member of an envelope is a status such as "failed". It must not be called for a
// member of a resource, which can have such a status without a failure of the request.
func (m member) isFailureWord() bool {
	var word string
	isText := m.letters == "status" && json.Unmarshal(m.value, &word) == nil
	return isText && slices.Contains([]string{"error", "fail", "failed", "failure"}, strings.ToLower(word))
}

// reason returns the text of a failure.
func (m member) reason(envelope *jsonObject) string {
	if inner, err := parseObject(m.value); err == nil && inner.anyText("message") != "" {
		return inner.anyText("message")
	}
	return cmp.Or(envelope.anyText("message"), string(m.value))
}

// isEmpty reports whether a value says that there is nothing: null, false, zero, or an empty string, array or object.
func (m member) isEmpty() bool {
	if number, isNumber := m.number(); isNumber {
		return number == 0
	}
	value := string(withoutQuotes(m.value))
	return value == "null" || value == "false" || strings.Trim(value, "[]{} \t\r\n") == ""
}

// number returns the value of a member that is a number.
func (m member) number() (value float64, isNumber bool) {
	value, err := strconv.ParseFloat(string(withoutQuotes(m.value)), 64)
	return value, err == nil
}

// isMore reports whether a member says that the list has more elements or pages than were read. Such a member is a
// total that is larger than the number read, or a nonempty member about a next page, such as a cursor or `hasMore`.
func (m member) isMore(elements, pages int) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(m.letters, prefix) }
	number, _ := m.number() // 0 if it is not a number
	switch {
	case m.letters == "totalpage", m.letters == "totalpagecount", begins("total") && strings.Contains(m.letters, "pages"):
		return number > float64(pages)
	case begins("total"), m.letters == "count":
		return number > float64(elements)
	case begins("prev"): // also "previousToken"
		return false
	case begins("next"), begins("hasnext"), begins("hasmore"), strings.HasSuffix(m.letters, "token"),
		m.letters == "cursor", m.letters == "more":
		return !m.isEmpty()
	}
	return false
}

// checkEnd returns an error if a page without a link to the next page says that there are more elements. Otherwise the
// list would silently end here.
func (p page) checkEnd(elements, pages int) error {
	for _, m := range p.envelope {
		if m.isMore(elements, pages) {
			return fmt.Errorf("the member %q says that there are more elements than the %d that were read, but there is no "+
				"link to the next page", m.path, elements)
		}
	}
	return nil
}
