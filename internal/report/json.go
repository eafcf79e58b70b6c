// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/json"
	"io"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// JSON writes an object with the array "positions". Each position has its ID, its title and its candidates, in the form
// of the attribute "candidates" of assess_position_results, which has no sign-in addresses. What is not known about a
// candidate, or must not be shown, is null. If one of the options Top, FinishedOnly and Anonymous is set, JSON applies
// it and sorts the candidates by the ranking. Otherwise, they keep the order of the section. JSON uses the option
// Language only for pseudonyms, and ignores all other options.
func (r Report) JSON(w io.Writer) error {
	type position struct {
		ID         string `json:"position_id"`
		Title      string `json:"title"`
		Candidates any    `json:"candidates"`
	}
	positions := []position{} // not nil, which would become null
	for _, s := range r.jsonSections() {
		candidates, err := decodedJSON(s.Candidates)
		if err != nil {
			return err
		}
		positions = append(positions, position{s.PositionID, s.Title, withNulls(candidates)})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(map[string][]position{"positions": positions})
}

// jsonSections returns the sections with clean texts, and with the candidates that the options show.
func (r Report) jsonSections() (sections []Section) {
	if r.Options.Top > 0 || r.Options.FinishedOnly || r.Options.Anonymous {
		return r.Shown()
	}
	for _, section := range r.Sections {
		sections = append(sections, section.cleaned())
	}
	return sections
}

// decodedJSON returns candidates as a decoded JSON array, which is empty if there are none.
func decodedJSON(candidates []assessapi.Candidate) (decoded any, err error) {
	text, err := json.Marshal(append([]assessapi.Candidate{}, candidates...)) // nil would become null
	if err == nil {
		err = json.Unmarshal(text, &decoded)
	}
	return decoded, err
}

// withNulls returns a decoded JSON value with null instead of empty texts, because an empty text means "not known". It
// changes arrays and objects in place.
func withNulls(value any) any {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			value[i] = withNulls(element)
		}
	case map[string]any:
		for name, member := range value {
			value[name] = withNulls(member)
		}
	case string:
		if value == "" {
			return nil
		}
	}
	return value
}
