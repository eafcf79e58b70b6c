// SPDX-License-Identifier: MPL-2.0

package assessapi

import "strings"

// Every name that the specification leaves open is read here, and nowhere
// else. The first name of each list is the one that the embedded service
// writes; the others are accepted (assumptions A2, A10, A11 and A12).
var (
	candidateNames        = []string{"name", "candidateName"}
	candidateReportURLs   = []string{"reportUrl", "overallReportUrl", "candidateReportUrl"}
	candidateSuitability  = []string{"suitability", "candidateSuitability", "suitabilityScore", "candidateSuitabilityScore"}
	candidateIDNames      = []string{"id", "candidate", "candidateId"}
	resultsEnvelopeMember = "candidates"
)

// mark reads whether a package must be supplied (section 2.5): `mandatory`, or
// `optional` inverted, or any string member that says one of the two words.
// Nil where none is found.
func mark(o *object) *bool {
	if mandatory := o.bool("mandatory"); mandatory != nil {
		o.drop("optional")
		return mandatory
	}
	if optional := o.bool("optional"); optional != nil {
		mandatory := !*optional
		return &mandatory
	}
	for _, name := range o.names() {
		word, ok := o.peekString(name)
		mandatory := strings.EqualFold(word, "MANDATORY")
		if ok && (mandatory || strings.EqualFold(word, "OPTIONAL")) {
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
	for _, name := range candidateSuitability {
		if inner := o.peekObject(name); inner != nil {
			o.drop(name)
			return inner.float("score")
		}
	}
	return o.float(candidateSuitability...)
}
