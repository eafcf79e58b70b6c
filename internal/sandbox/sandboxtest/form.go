// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"math/rand/v2"
	"slices"
)

// Form is how a service, or a gateway in front of it, writes the data that the embedded service
// would return. The zero value is the form of the contract. Each field is one other form, whose
// values are in [forms]. None of them changes what the data is.
type Form struct {
	// Scalars.
	Numbers  string // "text": "87.5", "decimal": 30.0, "exponent": 3E+01
	Booleans string // "text": "true"
	IDs      string // "number": IDs of digits are numbers, "decimal": with a fraction of 0, "exponent"
	Dates    string // timestamps: "micros", "offset" (+00:00), "local" (another offset)

	// Members.
	Empty  string // what is null: "text": "" for numbers, booleans and timestamps, "absent": no member
	Absent string // what is absent: "null", "array": [] for a list
	Arrays string // "null": an empty array is null
	Order  string // of members: "reversed"
	More   string // "members" that the contract does not have
	Late   string // "status": a new position assessment shows its status only in the second read

	// The text of a body.
	Text        string // "escaped", "indented", "marked" (a byte order mark)
	Charset     string // see [encodings]
	Compression string // "gzip", and forms that no Content-Encoding names
	ContentType string // "none", "text", "vendor"
	Written     string // the answer to a "put", a "delete" or a "post" is the text OK

	// Pages.
	PageSize  int    // smaller than what the client asks for
	Links     string // the addresses of links, see [linkForms]
	LinkQuery string // what links to other pages lack: "fields", "filters", "limit", "all" of them,
	// all but one "value" of each parameter, or "cursor"
	LinkText  string // "raw": with characters that an address cannot contain
	LinkStyle string // the header Link: "unquoted", "lines", "parameters", "several relations"
	Paging    string // how an envelope names the next page instead of `_links`, see [Form.paged]
	SelfLinks string // `_links` of an element: "inner host", "path", "none"

	// Parameters.
	LargestLimit int    // a larger `limit` gets 400
	Ignored      string // a parameter without effect: "limit", "fields", "filters"
	Refused      string // a parameter that gets 400: "limit", "fields", "filters"
}

// forms has each field of [Form] and its values besides the zero value.
var forms = []option{
	form("Numbers", func(f *Form) *string { return &f.Numbers }, "text", "decimal", "exponent"),
	form("Booleans", func(f *Form) *string { return &f.Booleans }, "text"),
	form("IDs", func(f *Form) *string { return &f.IDs }, "number", "decimal", "exponent"),
	form("Dates", func(f *Form) *string { return &f.Dates }, "micros", "offset", "local"),
	form("Empty", func(f *Form) *string { return &f.Empty }, "text", "absent"),
	form("Absent", func(f *Form) *string { return &f.Absent }, "null", "array"),
	form("Arrays", func(f *Form) *string { return &f.Arrays }, "null"),
	form("Order", func(f *Form) *string { return &f.Order }, "reversed"),
	form("More", func(f *Form) *string { return &f.More }, "members"),
	form("Late", func(f *Form) *string { return &f.Late }, "status"),
	form("Text", func(f *Form) *string { return &f.Text }, "escaped", "indented", "marked"),
	form("Charset", func(f *Form) *string { return &f.Charset }, encodings...),
	form("Compression", func(f *Form) *string { return &f.Compression },
		"gzip", "unnamed gzip", "deflate", "unnamed deflate"),
	form("ContentType", func(f *Form) *string { return &f.ContentType }, "none", "text", "vendor"),
	form("Written", func(f *Form) *string { return &f.Written }, "put", "delete", "post"),
	form("PageSize", func(f *Form) *int { return &f.PageSize }, 1, 2, 7),
	form("Links", func(f *Form) *string { return &f.Links }, linkForms...),
	form("LinkQuery", func(f *Form) *string { return &f.LinkQuery },
		"fields", "filters", "limit", "all", "value", "cursor"),
	form("LinkText", func(f *Form) *string { return &f.LinkText }, "raw"),
	form("LinkStyle", func(f *Form) *string { return &f.LinkStyle },
		"unquoted", "lines", "parameters", "several relations"),
	form("Paging", func(f *Form) *string { return &f.Paging },
		"next", "links.next", "next.href", "links array", "more", "cursor", "page.last", "total", "pages"),
	form("SelfLinks", func(f *Form) *string { return &f.SelfLinks }, "inner host", "path", "none"),
	form("LargestLimit", func(f *Form) *int { return &f.LargestLimit }, 500, 100, 20),
	form("Ignored", func(f *Form) *string { return &f.Ignored }, "limit", "fields", "filters"),
	form("Refused", func(f *Form) *string { return &f.Refused }, "limit", "fields", "filters"),
}

func form[T comparable](name string, field func(*Form) *T, values ...T) option {
	return choice("form", name, func(a *Assumptions) *T { return field(&a.Form) }, values...)
}

// sameData are the fields of [Assumptions] that also change only the form of the data, without
// the values that omit some of it.
var sameData = slices.DeleteFunc(slices.Clone(choices), func(c option) bool {
	return !slices.Contains([]string{
		"Collections", "Results", "CreatedStatus", "Created", "Updated", "RemovedStatus", "PackageMark",
		"PackageMarkUnasked", "CandidateName", "CandidateReport", "Suitability", "SuitabilityObject", "ASCIIOnly",
		"LatinBytes", "Errors", "NoConversationID",
	}, c.name)
})

// RandomForm returns a service that has the same data as the embedded service, but writes it in
// another form, always the same for one seed. Most forms differ in one to three fields, so that one
// of them does not hide what another one breaks.
func RandomForm(seed uint64) Assumptions {
	random := rand.New(rand.NewPCG(seed, 0xf0))  //nolint:gosec // a simulation
	all := slices.Concat(forms, forms, sameData) // what the assumptions do not name is less tested
	var a Assumptions
	for range []int{1, 1, 1, 2, 2, 2, 3, 3, 5, 8}[random.IntN(10)] {
		c := all[random.IntN(len(all))]
		c.set(&a, random.IntN(c.values))
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
			c.clear(&simpler)
			all = append(all, simpler)
		}
	}
	return all
}
