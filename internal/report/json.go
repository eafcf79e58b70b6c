// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/json"
	"io"
)

// JSON writes the candidates of each section with the attributes that the data source
// assess_position_results has, so without sign-in addresses. Of the options, only Top,
// FinishedOnly and Anonymous apply. Without them, the candidates keep their order.
func (r Report) JSON(w io.Writer) error {
	sections := r.Sections
	if r.Options.Top > 0 || r.Options.FinishedOnly || r.Options.Anonymous {
		sections = r.Shown()
	}
	type position struct {
		ID         string           `json:"position_id"`
		Title      string           `json:"title"`
		Candidates []map[string]any `json:"candidates"`
	}
	positions := make([]position, len(sections))
	for i, s := range sections {
		positions[i] = position{s.PositionID, s.Title, objects(s.Candidates, Candidate.object)}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(map[string][]position{"positions": positions})
}

func (c Candidate) object() map[string]any {
	return map[string]any{
		"id": orNull(c.ID), "name": orNull(c.Name), "report_url": orNull(c.ReportURL),
		"suitability": c.Suitability, "results": objects(c.Results, Result.object),
	}
}

func (r Result) object() map[string]any {
	return map[string]any{
		"assessment_id": orNull(r.AssessmentID), "type": orNull(r.Type), "report_url": orNull(r.ReportURL),
		"percentile": r.Percentile, "classification": orNull(r.Classification), "validity": orNull(r.Validity),
		"invitations": objects(r.Invitations, Invitation.object),
	}
}

func (i Invitation) object() map[string]any {
	return map[string]any{
		"id": orNull(i.ID), "type": orNull(i.Type), "status": orNull(i.Status),
		"expiry": orNull(i.Expiry), "created": orNull(i.Created), "completed": orNull(i.Completed),
	}
}

func objects[T any](all []T, object func(T) map[string]any) []map[string]any {
	converted := make([]map[string]any, len(all))
	for i, one := range all {
		converted[i] = object(one)
	}
	return converted
}

// orNull returns nil for a text that is not known.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
