// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"math/rand/v2"
	"slices"
)

// Form is how a service, or a gateway in front of it, writes the data that the sandbox
// would return. The zero value is the form of the contract. Each field is one other form, and its tag contains its
// values. None of them changes what the data is.
type Form struct {
	// Scalars.
	Numbers  string `values:"text, decimal, exponent"`   // "text": "87.5", "decimal": 30.0, "exponent": 3E+01
	Booleans string `values:"text"`                      // "text": "true"
	IDs      string `values:"number, decimal, exponent"` // IDs of digits are numbers, "decimal": with a fraction of 0
	Dates    string `values:"micros, offset, local"`     // timestamps: "offset" (+00:00), "local" (another offset)

	// Members.
	Empty   string `values:"text, absent"`      // what is null: "text": "" instead of a scalar, "absent": no member
	Absent  string `values:"null, array, text"` // what is absent: "null", "array": [] for a list, "text": "" for others
	Arrays  string `values:"null, object"`      // an empty array is null or, as PHP writes it, {}
	Objects string `values:"array"`             // an empty object is [], as PHP writes it
	Order   string `values:"reversed"`          // of members
	More    string `values:"members"`           // that the contract does not have
	Late    string `values:"status"`            // a new position assessment shows its status only in the second read

	// The text of a body.
	Text        string `values:"escaped, indented, marked"` // "marked": with a byte order mark
	Charset     string // see [charsets]
	Compression string `values:"gzip, unnamed gzip, deflate, unnamed deflate"` // "unnamed": in no Content-Encoding
	ContentType string `values:"none, text, vendor"`
	Written     string `values:"put, delete, post"` // the answer to one of them is the text OK

	// Pages.
	PageSize int    `values:"1, 2, 7"` // smaller than what the client asks for
	Links    string // the addresses of links, see [linkForms]
	// What links to other pages lack: "fields", "filters", "limit", "all" of them, all but one "value" of each
	// parameter, or "cursor".
	LinkQuery string `values:"fields, filters, limit, all, value, cursor"`
	LinkText  string `values:"raw"`                                            // with characters that no address has
	LinkStyle string `values:"unquoted, lines, parameters, several relations"` // of the header Link
	// How an envelope names the next page instead of `_links`, see [Form.paged].
	Paging    string `values:"next, links.next, next.href, HAL, links array, more, cursor, page.last, total, pages"`
	SelfLinks string `values:"inner host, path, object, none"` // `_links` of an element. "object": as in HAL

	// Parameters.
	LargestLimit int    `values:"500, 100, 20"`           // a larger `limit` gets 400
	Ignored      string `values:"limit, fields, filters"` // a parameter without effect
	Refused      string `values:"limit, fields, filters"` // a parameter that gets 400
}

// longLists are the values of fields that are too many for a tag.
var longLists = map[string][]string{"Charset": charsetNames(), "Links": linkForms}

// sameData are the fields of [Assumptions] that also change only the form of the data, without
// the values that omit some of it.
var sameData = slices.DeleteFunc(slices.Clone(choices), func(c option) bool {
	return !slices.Contains([]string{
		"Collections", "Results", "CreatedStatus", "Created", "Updated", "RemovedStatus", "PackageMark",
		"CandidateName", "CandidateReport", "Suitability", "SuitabilityObject", "ASCIIOnly",
		"LatinBytes", "Errors", "NoConversationID",
	}, c.name)
})

// RandomForm returns a service that has the same data as the sandbox, but writes it in
// another form, always the same for one seed. Most forms differ in one to three fields, so that one
// of them does not hide what another one breaks.
func RandomForm(seed uint64) Assumptions {
	random := rand.New(rand.NewPCG(seed, 0xf0))  //nolint:gosec // a simulation
	all := slices.Concat(forms, forms, sameData) // what the assumptions do not name is less tested
	var a Assumptions
	for range []int{1, 1, 1, 2, 2, 2, 3, 3, 5, 8}[random.IntN(10)] {
		c := all[random.IntN(len(all))]
		c.set(&a, random.IntN(len(c.values)))
	}
	f := &a.Form
	if f.PageSize == 0 && f.Links+f.LinkQuery+f.LinkText+f.LinkStyle+f.Paging != "" {
		f.PageSize = 2 // otherwise no list has links
	}
	if slices.Contains(mustDeclare, f.Charset) {
		f.ContentType = ""
	}
	if a.PackageMark == "none" {
		a.PackageMark = ""
	}
	return a
}

// Simpler returns the same assumptions without one of the fields that are set, for each of them.
func (a Assumptions) Simpler() []Assumptions {
	var all []Assumptions
	for _, c := range slices.Concat(choices, forms) {
		if c.show(a) != "" {
			simpler := a
			c.of(&simpler).SetZero()
			all = append(all, simpler)
		}
	}
	return all
}
