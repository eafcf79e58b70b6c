// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Assumptions describe how a service behaves if the specification does not say (see the
// documentation page "Assumptions about the service"). The zero value is the behavior
// of the embedded service. Each field is another behavior, whose values are in [choices].
type Assumptions struct {
	// The envelope of collections, instead of an array with a Link header:
	// "object" is an object with _links and one array.
	Collections string
	// The envelope of the results page: "array" has a Link header, "items" is another
	// name for the member "candidates".
	Results string

	// The body of errors: plain text, the HTML page of a gateway, or empty.
	Errors           string
	NoConversationID bool // no header Conversation-Id

	CreatedStatus int // instead of 201
	// The answer to a creation. "location": a Location header and no body. "no id": a
	// Location header and a body without id. "self link": only the self link in the
	// body contains the id. "id": only the id, without a Location header. "position": a
	// Location header and the body of the position.
	Created string
	// The answer to an update: 200 with an empty body, or 204.
	Updated string

	RemovedStatus  int  // instead of 204
	RefusedStatus  int  // of a refused removal, instead of 409
	GoneStatus     int  // of a repeated removal, instead of 404
	NoRemoval      int  // the service does not support removal
	RefuseRemovals bool // the service refuses every removal

	PositionAssessmentList int // the service has no list of a position's assessments
	// The elements of that list: without organizationAssessment, or "bare", which is
	// also without metadata.
	Elements        string
	NoEmptyMetadata bool // an element without metadata has no member "metadata"

	BenchmarkList int // the service has no list of benchmarks
	ProfileList   int // the service has no list of profiles
	OtherKind     int // packages and skills tests of other kinds (default: an empty list)

	// How a package shows whether it is mandatory: the boolean "optional", a member
	// "type" with the word MANDATORY or OPTIONAL, the same in lower case, or not at
	// all.
	PackageMark        string
	PackageMarkUnasked bool // packages are complete, regardless of `fields`

	NoLocale         bool // positions do not show their locale
	PositionLocales  string
	BenchmarkLocales string

	CandidateName     string
	CandidateReport   string
	Suitability       string
	SuitabilityObject bool // an object with "score"
	OtherWords        bool // types, classifications and validities that the specification does not name

	RetryAfter string // the header of a 429 ("hour" is far too long)
	WholeFrame bool   // after a 429, all requests of the time frame get 429
	ASCIIOnly  bool   // a body with a byte above 0x7E gets 400
	LatinBytes bool   // bodies are read as Latin1, not as UTF-8

	MuteReads  bool // reads omit packages, benchmark and tests
	MuteWrites bool // answers to writes omit them
	// The metadata in answers to writes: without profileStatus and profileUrl,
	// or absent.
	Writes string

	// A GET with `fields` gets 400, except for assessments, whose fields the
	// specification names. Without `fields`, elements are "bare" or "whole".
	RefuseFields string
	RefuseLimit  bool   // a request for results with `limit` gets 400
	TitleFilter  string // of positions, instead of an exact match

	Form Form // how the data is written
}

// choices has each field of [Assumptions] with the row that it belongs to, and its values
// besides the zero value.
var choices = []option{
	choice("A1", "Collections", func(a *Assumptions) *string { return &a.Collections }, "object"),
	choice("A2", "Results", func(a *Assumptions) *string { return &a.Results }, "array", "items"),
	choice("A3", "Errors", func(a *Assumptions) *string { return &a.Errors }, "text", "html", "none"),
	choice("A3", "NoConversationID", func(a *Assumptions) *bool { return &a.NoConversationID }, true),
	choice("A4", "CreatedStatus", func(a *Assumptions) *int { return &a.CreatedStatus }, 200),
	choice("A4", "Created", func(a *Assumptions) *string { return &a.Created },
		"location", "no id", "self link", "id", "position"),
	choice("A5", "Updated", func(a *Assumptions) *string { return &a.Updated }, "empty", "no content"),
	choice("A6", "RemovedStatus", func(a *Assumptions) *int { return &a.RemovedStatus }, 200, 202),
	choice("A6", "RefusedStatus", func(a *Assumptions) *int { return &a.RefusedStatus }, 400, 403),
	choice("A6", "GoneStatus", func(a *Assumptions) *int { return &a.GoneStatus }, 410),
	choice("A6", "NoRemoval", func(a *Assumptions) *int { return &a.NoRemoval }, 405, 501),
	choice("A28", "RefuseRemovals", func(a *Assumptions) *bool { return &a.RefuseRemovals }, true),
	choice("A7", "PositionAssessmentList", func(a *Assumptions) *int { return &a.PositionAssessmentList },
		404, 405, 501),
	choice("A7", "Elements", func(a *Assumptions) *string { return &a.Elements }, "no assessment", "bare"),
	choice("A7", "NoEmptyMetadata", func(a *Assumptions) *bool { return &a.NoEmptyMetadata }, true),
	choice("A8", "BenchmarkList", func(a *Assumptions) *int { return &a.BenchmarkList }, 404, 405, 501),
	choice("A9", "ProfileList", func(a *Assumptions) *int { return &a.ProfileList }, 404, 405, 501),
	choice("A23", "OtherKind", func(a *Assumptions) *int { return &a.OtherKind }, 400, 404, 405),
	choice("A10", "PackageMark", func(a *Assumptions) *string { return &a.PackageMark },
		"optional", "word", "lower word", "none"),
	choice("A10", "PackageMarkUnasked", func(a *Assumptions) *bool { return &a.PackageMarkUnasked }, true),
	choice("A11", "NoLocale", func(a *Assumptions) *bool { return &a.NoLocale }, true),
	choice("A26", "PositionLocales", func(a *Assumptions) *string { return &a.PositionLocales },
		"underscore", "lower", "upper"),
	choice("A26", "BenchmarkLocales", func(a *Assumptions) *string { return &a.BenchmarkLocales },
		"underscore", "lower", "upper"),
	choice("A12", "CandidateName", func(a *Assumptions) *string { return &a.CandidateName },
		"candidateName", "first and last"),
	choice("A12", "CandidateReport", func(a *Assumptions) *string { return &a.CandidateReport },
		"overallReportUrl", "candidateReportUrl"),
	choice("A12", "Suitability", func(a *Assumptions) *string { return &a.Suitability },
		"candidateSuitability", "suitabilityScore", "candidateSuitabilityScore"),
	choice("A12", "SuitabilityObject", func(a *Assumptions) *bool { return &a.SuitabilityObject }, true),
	choice("A13", "OtherWords", func(a *Assumptions) *bool { return &a.OtherWords }, true),
	choice("A14", "RetryAfter", func(a *Assumptions) *string { return &a.RetryAfter }, "date", "none", "hour"),
	choice("A21", "WholeFrame", func(a *Assumptions) *bool { return &a.WholeFrame }, true),
	choice("A15", "ASCIIOnly", func(a *Assumptions) *bool { return &a.ASCIIOnly }, true),
	choice("A15", "LatinBytes", func(a *Assumptions) *bool { return &a.LatinBytes }, true),
	choice("A22", "MuteReads", func(a *Assumptions) *bool { return &a.MuteReads }, true),
	choice("A27", "MuteWrites", func(a *Assumptions) *bool { return &a.MuteWrites }, true),
	choice("A27", "Writes", func(a *Assumptions) *string { return &a.Writes }, "no status", "no metadata"),
	choice("A24", "RefuseFields", func(a *Assumptions) *string { return &a.RefuseFields }, "bare", "whole"),
	choice("A24", "RefuseLimit", func(a *Assumptions) *bool { return &a.RefuseLimit }, true),
	choice("A25", "TitleFilter", func(a *Assumptions) *string { return &a.TitleFilter }, "ignored", "contains"),
}

// option is a field of [Assumptions].
type option struct {
	gap    string // the row, such as "A7"
	name   string // of the field
	values int    // besides the zero value
	set    func(a *Assumptions, value int)
	clear  func(a *Assumptions)
	show   func(a Assumptions) string // such as `Errors="html"`, "" for the zero value
}

func choice[T comparable](gap, name string, field func(*Assumptions) *T, values ...T) option {
	return option{
		gap: gap, name: name, values: len(values),
		set:   func(a *Assumptions, value int) { *field(a) = values[value] },
		clear: func(a *Assumptions) { *field(a) = *new(T) },
		show: func(a Assumptions) string {
			value, zero := *field(&a), *new(T)
			if value == zero {
				return ""
			}
			return fmt.Sprintf("%s=%#v", name, value)
		},
	}
}

// Mute is a service that never shows packages, benchmark and tests (A22, A27).
var Mute = Assumptions{MuteReads: true, MuteWrites: true}

// Alternative is one behavior that differs from the default.
type Alternative struct {
	Gap         string // the row, such as "A7"
	Name        string // field and value, such as `Errors="html"`
	Assumptions Assumptions
}

// Alternatives returns an Alternative for each value of each field.
func Alternatives() []Alternative { return alternatives(choices) }

// Forms returns an Alternative for each value of each field of [Form].
func Forms() []Alternative { return alternatives(forms) }

func alternatives(options []option) []Alternative {
	all := []Alternative{}
	for _, c := range options {
		for value := range c.values {
			var a Assumptions
			c.set(&a, value)
			all = append(all, Alternative{c.gap, a.String(), a})
		}
	}
	return all
}

// Combinations returns alternatives that together have each value of each field. Each of
// them sets all fields of one of three groups.
func Combinations() []Alternative {
	const groups = 3
	all := []Alternative{}
	for group := range groups {
		for n, more := 0, true; more; n++ {
			var a Assumptions
			more = false
			for i := group; i < len(choices); i += groups {
				c := choices[i]
				c.set(&a, n%c.values)
				more = more || n+1 < c.values
			}
			all = append(all, Alternative{Name: fmt.Sprintf("group %d, values %d", group, n), Assumptions: a})
		}
	}
	return all
}

// RandomAssumptions returns random assumptions, always the same for one seed. For one
// seed in eight, they are the zero value. For the others, few or many fields are set.
func RandomAssumptions(seed uint64) Assumptions {
	random := rand.New(rand.NewPCG(seed, 0x5eed))
	chance := []float64{0, 0.05, 0.05, 0.1, 0.1, 0.2, 0.2, 0.4}[random.IntN(8)]
	var a Assumptions
	for _, c := range choices {
		if random.Float64() < chance {
			c.set(&a, random.IntN(c.values))
		}
	}
	return a
}

// String names the fields that are set, such as `Errors="html" NoRemoval=405`;
// "default" if there are none.
func (a Assumptions) String() string {
	words := []string{}
	for _, c := range slices.Concat(choices, forms) {
		if word := c.show(a); word != "" {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "default"
	}
	return strings.Join(words, " ")
}

// check panics if a field has a value that [choices] or [forms] does not list.
func (a Assumptions) check() {
	known := slices.Concat(Alternatives(), Forms())
	for _, c := range slices.Concat(choices, forms) {
		word := c.show(a)
		isIt := func(known Alternative) bool { return known.Name == word }
		if word != "" && !slices.ContainsFunc(known, isIt) {
			panic("sandboxtest: unknown assumption " + word)
		}
	}
}
