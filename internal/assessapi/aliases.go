// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"encoding/json"
	"strings"
)

// The specification does not fix these names of members. For each member, the first name
// is the name that the sandbox writes, and the other names are also accepted
// (assumptions A2, A10, A11 and A12). No other file accepts alternative names.
var (
	candidateNames       = []string{"name", "candidateName"}
	candidateReportURLs  = []string{"reportUrl", "overallReportUrl", "candidateReportUrl"}
	candidateSuitability = []string{
		"suitability", "candidateSuitability", "suitabilityScore", "candidateSuitabilityScore",
	}
)

// mandatoryOf returns whether a package is mandatory (listPackages). It reads the boolean `mandatory`, or the inverse
// of the boolean `optional`. If neither member is a boolean, it reads any member with the text "mandatory" or
// "optional". It returns nil if there is no such member. If `mandatory` or `optional` has an unexpected type, the error
// is in o.err.
func mandatoryOf(o *jsonObject) *bool {
	if !isBoolean(o.members["mandatory"]) && !isBoolean(o.members["optional"]) {
		if word := mandatoryWord(o); word != nil {
			return word
		}
	}
	mandatory, optional := o.bool("mandatory"), o.bool("optional")
	if mandatory == nil && optional != nil {
		return new(!*optional)
	}
	return mandatory
}

func isBoolean(value json.RawMessage) bool {
	text := string(withoutQuotes(value))
	return text == "true" || text == "false"
}

func mandatoryWord(o *jsonObject) *bool {
	for _, name := range o.names() {
		word := o.anyText(name)
		isMandatory := strings.EqualFold(word, "MANDATORY")
		if isMandatory || strings.EqualFold(word, "OPTIONAL") {
			o.drop(name)
			return &isMandatory
		}
	}
	return nil
}

// candidateName reads the name of a candidate from one member, or joins the first and the last name.
func candidateName(o *jsonObject) string {
	first, last := o.text("firstName"), o.text("lastName")
	return cmp.Or(o.text(candidateNames...), strings.TrimSpace(first+" "+last))
}

// suitability returns a candidate's suitability: a number, or the number in the member `score` of an object. It returns
// nil if the suitability or the score is null, or if no suitability is shown.
func suitability(o *jsonObject) *float64 {
	name, value := o.take(candidateSuitability...)
	if inner, err := parseObject(value); err == nil {
		if _, shown := inner.members["score"]; !shown {
			o.expected(name, `a number or an object with "score"`, value)
			return nil
		}
		_, value = inner.take("score")
	}
	return o.floatOf(name, value)
}
