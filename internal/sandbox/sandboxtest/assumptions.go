// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Assumptions describe how a service behaves if the specification does not say (see the
// documentation page "Assumptions about the service"). The zero value is the behavior
// of the embedded service. Each field is another behavior. Its tag "values" lists the
// values besides the zero value.
type Assumptions struct {
	// The envelope of collections, instead of an array with a Link header:
	// "object" is an object with _links and one array.
	Collections string `gap:"A1" values:"object"`
	// The envelope of the results page: "array" has a Link header, "items" is another
	// name for the member "candidates".
	Results string `gap:"A2" values:"array|items"`

	// The body of errors: plain text, the HTML page of a gateway, or empty.
	Errors           string `gap:"A3" values:"text|html|none"`
	NoConversationID bool   `gap:"A3"` // no header Conversation-Id

	CreatedStatus int `gap:"A4" values:"200"` // instead of 201
	// The answer to a creation. "location": a Location header and no body. "no id": a
	// Location header and a body without id. "self link": only the self link in the
	// body contains the id. "id": only the id, without a Location header. "position": a
	// Location header and the body of the position.
	Created string `gap:"A4" values:"location|no id|self link|id|position"`
	// The answer to an update: 200 with an empty body, or 204.
	Updated string `gap:"A5" values:"empty|no content"`

	RemovedStatus  int  `gap:"A6" values:"200|202"` // instead of 204
	RefusedStatus  int  `gap:"A6" values:"400|403"` // of a refused removal, instead of 409
	GoneStatus     int  `gap:"A6" values:"410"`     // of a repeated removal, instead of 404
	NoRemoval      int  `gap:"A6" values:"405|501"` // the service does not support removal
	RefuseRemovals bool `gap:"A28"`                 // the service refuses every removal

	PositionAssessmentList int `gap:"A7" values:"404|405|501"` // the service has no list of a position's assessments
	// The elements of that list: without organizationAssessment, or "bare", which is
	// also without metadata.
	Elements        string `gap:"A7" values:"no assessment|bare"`
	NoEmptyMetadata bool   `gap:"A7"` // an element without metadata has no member "metadata"

	BenchmarkList int `gap:"A8" values:"404|405|501"`  // the service has no list of benchmarks
	ProfileList   int `gap:"A9" values:"404|405|501"`  // the service has no list of profiles
	OtherKind     int `gap:"A23" values:"400|404|405"` // packages and skills tests of other kinds (default: an empty list)

	// How a package shows whether it is mandatory: the boolean "optional", a member
	// "type" with the word MANDATORY or OPTIONAL, the same in lower case, or not at
	// all.
	PackageMark        string `gap:"A10" values:"optional|word|lower word|none"`
	PackageMarkUnasked bool   `gap:"A10"` // packages are complete, regardless of `fields`

	NoLocale         bool   `gap:"A11"` // positions do not show their locale
	PositionLocales  string `gap:"A26" values:"underscore|lower|upper"`
	BenchmarkLocales string `gap:"A26" values:"underscore|lower|upper"`

	CandidateName     string `gap:"A12" values:"candidateName|first and last"`
	CandidateReport   string `gap:"A12" values:"overallReportUrl|candidateReportUrl"`
	Suitability       string `gap:"A12" values:"candidateSuitability|suitabilityScore|candidateSuitabilityScore"`
	SuitabilityObject bool   `gap:"A12"` // an object with "score"
	OtherWords        bool   `gap:"A13"` // types, classifications and validities that the specification does not name

	RetryAfter string `gap:"A14" values:"date|none|hour"` // the header of a 429 ("hour" is far too long)
	WholeFrame bool   `gap:"A21"`                         // after a 429, all requests of the time frame get 429
	ASCIIOnly  bool   `gap:"A15"`                         // a body with a byte above 0x7E gets 400
	LatinBytes bool   `gap:"A15"`                         // bodies are read as Latin1, not as UTF-8

	MuteReads  bool `gap:"A22"` // reads omit packages, benchmark and tests
	MuteWrites bool `gap:"A27"` // answers to writes omit them
	// The metadata in answers to writes: without profileStatus and profileUrl,
	// or absent.
	Writes string `gap:"A27" values:"no status|no metadata"`
	// Reads show the state as it was that long ago. [RandomAssumptions] never sets it,
	// because a client cannot compensate for it.
	Lag time.Duration `gap:"A22"`

	// A GET with `fields` gets 400, except for assessments, whose fields the
	// specification names. Without `fields`, elements are "bare" or "whole".
	RefuseFields string `gap:"A24" values:"bare|whole"`
	RefuseLimit  bool   `gap:"A24"`                           // a request for results with `limit` gets 400
	TitleFilter  string `gap:"A25" values:"ignored|contains"` // of positions, instead of an exact match
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
func Alternatives() []Alternative {
	all := []Alternative{}
	for i := range reflect.TypeFor[Assumptions]().NumField() {
		for _, value := range valuesOf(i) {
			var a Assumptions
			reflect.ValueOf(&a).Elem().Field(i).Set(value)
			all = append(all, Alternative{reflect.TypeFor[Assumptions]().Field(i).Tag.Get("gap"), a.String(), a})
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
			for i := group; i < reflect.TypeFor[Assumptions]().NumField(); i += groups {
				if values := valuesOf(i); len(values) > 0 {
					reflect.ValueOf(&a).Elem().Field(i).Set(values[n%len(values)])
					more = more || n+1 < len(values)
				}
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
	for i := range reflect.TypeFor[Assumptions]().NumField() {
		values := valuesOf(i)
		if random.Float64() < chance && len(values) > 0 {
			reflect.ValueOf(&a).Elem().Field(i).Set(values[random.IntN(len(values))])
		}
	}
	return a
}

// String names the fields that are set, such as `Errors="html" NoRemoval=405`;
// "default" if there are none.
func (a Assumptions) String() string {
	words := []string{}
	for i := range reflect.TypeFor[Assumptions]().NumField() {
		if value := reflect.ValueOf(a).Field(i); !value.IsZero() {
			words = append(words, fmt.Sprintf("%s=%#v", reflect.TypeFor[Assumptions]().Field(i).Name, value))
		}
	}
	if len(words) == 0 {
		return "default"
	}
	return strings.Join(words, " ")
}

// check panics if a field has a value that its tag does not list.
func (a Assumptions) check() {
	for i := range reflect.TypeFor[Assumptions]().NumField() {
		value := reflect.ValueOf(a).Field(i)
		values := valuesOf(i)
		known := slices.ContainsFunc(values, func(v reflect.Value) bool { return v.Equal(value) })
		if !value.IsZero() && len(values) > 0 && !known {
			panic(fmt.Sprintf("sandboxtest: unknown assumption %s=%#v", reflect.TypeFor[Assumptions]().Field(i).Name, value))
		}
	}
}

// valuesOf returns the values of field number i besides the zero value.
// [Assumptions.Lag] has none.
func valuesOf(i int) []reflect.Value {
	field := reflect.TypeFor[Assumptions]().Field(i)
	values := []reflect.Value{}
	switch field.Type.Kind() {
	case reflect.Bool:
		values = append(values, reflect.ValueOf(true))
	case reflect.Int:
		for _, text := range strings.Split(field.Tag.Get("values"), "|") {
			n, err := strconv.Atoi(text)
			if err != nil {
				panic(fmt.Sprintf("sandboxtest: the values of %s: %v", field.Name, err))
			}
			values = append(values, reflect.ValueOf(n))
		}
	case reflect.String:
		for _, text := range strings.Split(field.Tag.Get("values"), "|") {
			values = append(values, reflect.ValueOf(text))
		}
	default:
	}
	return values
}
