// SPDX-License-Identifier: MPL-2.0

package run

import (
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
)

// A warning about parameters says what they cost, and how to live without them.
func TestParametersWarning(t *testing.T) {
	t.Parallel()
	refused := &assessapi.Error{Method: "GET", Route: "/positions", Status: 400, Message: "unknown parameter"}
	const names, itself = "names and other optional fields may be missing", "selects from it itself"
	const suitability = "The suitability of a candidate is null"
	for parameters, says := range map[string]string{
		"limit=1000":                             "Lists may take more requests.|You do not need to do anything",
		"limit=1000 and fields=title,locale":     names + "|use its ID instead|!" + itself,
		"title":                                  itself + "|You do not need to do anything|!" + names,
		"limit=1000 and active":                  itself,
		"fields=title,description and active":    names + "|" + itself,
		"candidate":                              itself + "|!" + suitability,
		"assessment and candidate":               itself + "|" + suitability + "|omit assessment_ids",
		"fields=title,active,candidate":          names + "|!" + itself,
		"limit=1000 and assessment":              suitability,
		"limit=1000 and fields=name and unknown": names,
	} {
		warning := connectionWarning(connection.Notice{Parameters: parameters, Err: refused})
		text := warning.Summary + ": " + warning.Detail
		for _, words := range append(strings.Split(says, "|"), "refuses optional parameters", "unknown parameter") {
			words, absent := strings.CutPrefix(words, "!")
			if strings.Contains(text, words) == absent {
				t.Errorf("%s: %q is in the message: %t\n%s", parameters, words, !absent, text)
			}
		}
	}
	ignored := connectionWarning(connection.Notice{Parameters: "assessment", Err: assessapi.ErrIgnored})
	if !strings.Contains(ignored.Detail, "omit assessment_ids") || ignored.Summary != parametersIgnored {
		t.Errorf("the warning is %s: %s", ignored.Summary, ignored.Detail)
	}
}
