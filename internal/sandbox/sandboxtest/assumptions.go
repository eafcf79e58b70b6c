// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Assumptions describe how a service answers reads if the specification does not say (see the documentation page
// "Assumptions about the service"). The zero value is the behavior of the sandbox. Each field is another behavior. Its
// tag contains the row that it belongs to, and its values besides the zero value. The tests of package assessapi have
// other forms of responses to writes.
type Assumptions struct {
	// The envelope of collections, instead of an array with a Link header:
	// "object" is an object with _links and one array.
	Collections string `row:"A1" values:"object"`
	// The envelope of the results page: "array" has a Link header, "items" is another
	// name for the member "candidates".
	Results string `row:"A2" values:"array, items"`

	// The body of errors: plain text, the HTML page of a gateway, or empty.
	Errors           string `row:"A3" values:"text, html, none"`
	NoConversationID bool   `row:"A3" values:"true"` // no header Conversation-Id

	PositionAssessmentList int `row:"A7" values:"404, 405, 501"` // the service has no list of a position's assessments
	// The elements of that list: without organizationAssessment, or "bare", which is
	// also without metadata.
	Elements        string `row:"A7" values:"no assessment, bare"`
	NoEmptyMetadata bool   `row:"A7" values:"true"` // an element without metadata has no member "metadata"

	BenchmarkList int `row:"A8" values:"404, 405, 501"`  // the service has no list of benchmarks
	ProfileList   int `row:"A9" values:"404, 405, 501"`  // the service has no list of profiles
	OtherKind     int `row:"A23" values:"400, 404, 405"` // lists of other kinds, instead of an empty list

	// How a package shows whether it is mandatory: the boolean "optional", a member
	// "type" with the word MANDATORY or OPTIONAL, the same in lower case, or not at
	// all.
	PackageMark string `row:"A10" values:"optional, word, lower word, none"`

	NoLocale         bool   `row:"A11" values:"true"` // positions do not show their locale
	PositionLocales  string `row:"A26" values:"underscore, lower, upper"`
	BenchmarkLocales string `row:"A26" values:"underscore, lower, upper"`

	CandidateName     string `row:"A12" values:"candidateName, first and last"`
	CandidateReport   string `row:"A12" values:"overallReportUrl, candidateReportUrl"`
	Suitability       string `row:"A12" values:"candidateSuitability, suitabilityScore, candidateSuitabilityScore"`
	SuitabilityObject bool   `row:"A12" values:"true"` // an object with "score"
	// Types, classifications and validities that the specification does not name.
	OtherWords bool `row:"A13" values:"true"`

	RetryAfter string `row:"A14" values:"date, none, hour"` // the header of a 429 ("hour" is far too long)
	MuteReads  bool   `row:"A22" values:"true"`             // reads omit packages, benchmark and tests
	// A GET with `fields` gets 400, except for assessments, whose fields the
	// specification names. Without `fields`, elements are "bare" or "whole".
	RejectFields string `row:"A24" values:"bare, whole"`
	RejectLimit  bool   `row:"A24" values:"true"`              // a request for results with `limit` gets 400
	TitleFilter  string `row:"A25" values:"ignored, contains"` // of positions, instead of an exact match

	Form Form // how the data is written
}

// choices are the fields of [Assumptions].
var choices = readChoices()

// option is a field of [Assumptions].
type option struct {
	gap    string          // the row, such as "A7"
	name   string          // of the field
	values []reflect.Value // besides the zero value
}

// readChoices reads the tags.
func readChoices() (options []option) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Assumptions]()) {
		if field.Name == "Form" {
			continue
		}
		o := option{gap: field.Tag.Get("row"), name: field.Name}
		for _, text := range strings.Split(field.Tag.Get("values"), ", ") {
			value := reflect.New(field.Type)
			if field.Type.Kind() == reflect.String {
				value.Elem().SetString(text)
			} else {
				_ = json.Unmarshal([]byte(text), value.Interface()) // TestAlternativesDiffer notices a wrong tag
			}
			o.values = append(o.values, value.Elem())
		}
		options = append(options, o)
	}
	return options
}

// of returns the field.
func (o option) of(a *Assumptions) reflect.Value {
	return reflect.ValueOf(a).Elem().FieldByName(o.name)
}

func (o option) set(a *Assumptions, value int) { o.of(a).Set(o.values[value]) }

// show returns text such as `Errors="html"`, or "" for the zero value.
func (o option) show(a Assumptions) string {
	if value := o.of(&a); !value.IsZero() {
		return fmt.Sprintf("%s=%#v", o.name, value)
	}
	return ""
}

// Mute is a service whose reads never show packages, benchmark and tests (A22).
var Mute = Assumptions{MuteReads: true}

// Alternative is one behavior that differs from the default.
type Alternative struct {
	Gap         string // the row, such as "A7"
	Name        string // field and value, such as `Errors="html"`
	Assumptions Assumptions
}

// Alternatives returns an Alternative for each value of each field.
func Alternatives() []Alternative {
	all := []Alternative{}
	for _, c := range choices {
		for value := range c.values {
			var a Assumptions
			c.set(&a, value)
			all = append(all, Alternative{c.gap, a.String(), a})
		}
	}
	return all
}

// String names the fields that are set, such as `Errors="html" NoRemoval=405`;
// "default" if there are none.
func (a Assumptions) String() string {
	words := []string{}
	for _, c := range choices {
		if word := c.show(a); word != "" {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "default"
	}
	return strings.Join(words, " ")
}

// check panics if a field has a value that its tag does not list.
func (a Assumptions) check() {
	for _, o := range choices {
		if value := o.of(&a); !value.IsZero() && !slices.ContainsFunc(o.values, value.Equal) {
			panic("sandboxtest: unknown assumption " + o.show(a))
		}
	}
}
