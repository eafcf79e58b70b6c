// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"strings"
)

// The specification does not fix these names of members. For each member, the first name
// is the one that the sandbox writes, and the others are also accepted
// (assumptions A2, A10, A11 and A12). No other file accepts alternative names.
var (
	candidateNames       = []string{"name", "candidateName"}
	candidateReportURLs  = []string{"reportUrl", "overallReportUrl", "candidateReportUrl"}
	candidateSuitability = []string{
		"suitability",
		"candidateSuitability",
		"suitabilityScore",
		"candidateSuitabilityScore",
	}
)

// mandatoryOf reads whether a package is mandatory (listPackages): from `mandatory`, from
// `optional` inverted, or from any string member with the value "mandatory" or
// "optional". It returns nil if there is none.
func mandatoryOf(o *jsonObject) *bool {
	marks := []string{"mandatory", "optional"}
	for _, name := range marks {
		if isString(withoutQuotes(o.members[name])) {
			continue
		}
		if is := o.bool(name); is != nil {
			o.drop("optional")
			mandatory := *is == (name == "mandatory")
			return &mandatory
		}
	}
	for _, name := range o.names() {
		word := o.anyText(name)
		mandatory := strings.EqualFold(word, "MANDATORY")
		if mandatory || strings.EqualFold(word, "OPTIONAL") {
			o.drop(name)
			return &mandatory
		}
	}
	for _, name := range marks {
		o.bool(name) // neither a boolean nor a word, so this is an error
	}
	return nil
}

// candidateName reads the name of a candidate from one member, or joins the first and the
// last name.
func candidateName(o *jsonObject) string {
	first, last := o.text("firstName"), o.text("lastName")
	return cmp.Or(o.text(candidateNames...), strings.TrimSpace(first+" "+last))
}

// suitability reads a score that is a number, or an object with the member `score`, which may be null.
func suitability(o *jsonObject) *float64 {
	name, value := o.take(candidateSuitability)
	if inner, err := parseObject(value); err == nil {
		if _, shown := inner.members["score"]; !shown {
			o.expected(name, `a number or an object with "score"`, value)
			return nil
		}
		_, value = inner.take([]string{"score"})
	}
	return o.floatOf(name, value)
}
