// SPDX-License-Identifier: MPL-2.0

package assessapi

import "strings"

// Every name that the specification leaves open is read here, and nowhere
// else. The first name of each list is the one that the embedded service
// writes; the others are accepted (assumptions A2, A10, A11 and A12).
var (
	candidateNames       = []string{"name", "candidateName"}
	candidateReportURLs  = []string{"reportUrl", "overallReportUrl", "candidateReportUrl"}
	candidateSuitability = []string{
		"suitability",
		"candidateSuitability",
		"suitabilityScore",
		"candidateSuitabilityScore",
	}
	candidateIDNames      = []string{"id", "candidate", "candidateId"}
	resultsEnvelopeMember = "candidates"
)

// mark reads whether a package must be supplied (section 2.5): `mandatory`, or
// `optional` inverted, or any string member that says one of the two words.
// Nil if none is found.
func mark(o *object) *bool {
	for _, name := range []string{"mandatory", "optional"} {
		if _, isString := o.peekString(name); isString {
			continue
		}
		if is := o.bool(name); is != nil {
			o.drop("optional")
			mandatory := *is == (name == "mandatory")
			return &mandatory
		}
	}
	for _, name := range o.names() {
		word, isString := o.peekString(name)
		mandatory := strings.EqualFold(word, "MANDATORY")
		if isString && (mandatory || strings.EqualFold(word, "OPTIONAL")) {
			o.drop(name)
			return &mandatory
		}
	}
	return nil
}

// candidateName reads the name under one of its names, or joins its halves.
func candidateName(o *object) *string {
	first, last := o.string("firstName"), o.string("lastName")
	if name := o.string(candidateNames...); name != nil {
		return name
	}
	var halves []string
	for _, half := range []*string{first, last} {
		if half != nil && *half != "" {
			halves = append(halves, *half)
		}
	}
	if len(halves) == 0 {
		return nil
	}
	name := strings.Join(halves, " ")
	return &name
}

// suitability reads a score that is a number, or an object with `score`.
func suitability(o *object) *float64 {
	name, value := o.take(candidateSuitability)
	if inner, err := parseObject(value); err == nil {
		_, value = inner.take([]string{"score"})
	}
	return o.floatOf(name, value)
}
