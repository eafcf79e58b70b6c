// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/companion/export"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// utf16 returns a text as PowerShell 5.1 redirects it to a file.
func utf16(text string) string {
	var encoded strings.Builder
	for _, r := range "\ufeff" + text {
		encoded.Write([]byte{byte(r), byte(r >> 8)})
	}
	return encoded.String()
}

// What a state manages is left out, and no new address or key is one of the state.
func TestState(t *testing.T) {
	t.Parallel()
	const shown = `{"format_version": "1.0", "values": {"root_module": {"child_modules": [{"resources": [
		{"mode": "managed", "type": "assess_position_assessment", "name": "row", "index": "backend_engineer_london_qrt",
		 "values": {"position_id": "p/1", "id": "a1"}},
		{"mode": "managed", "type": "other_thing", "name": "other", "values": {"id": 5}},
		{"mode": "data", "type": "assess_position_assessment", "name": "x", "values": {"position_id": "p/1", "id": "a2"}}]}]}}}`
	const pulled = `{"version": 4, "resources": [
		{"mode": "managed", "type": "other_thing", "name": "other", "instances": [{"attributes": {"id": 5}}]},
		{"mode": "managed", "type": "assess_position_assessment", "name": "backend_engineer_london_qrt", "instances": [
		 {"attributes": {"position_id": "p/1", "id": "a1"}}]}]}`
	withState := func(text string) func(*export.Options) {
		state := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(state, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return func(o *export.Options) { o.State = state }
	}
	for name, text := range map[string]string{
		"show": shown, "pull": pulled, "with a byte order mark": "\ufeff" + shown, "of PowerShell 5.1": utf16(shown),
	} {
		positions := organization()[:1]
		positions[0].Assessments[1] = sandbox.PositionAssessment{ID: "a7", Assessment: "asm-quartet"}
		file, out, err := exports(t, having(t, "", positions...), withState(text))
		if err != nil || strings.Contains(file, `"p%2F1/a1"`) || !strings.Contains(file, `"backend_engineer_london_qrt_2"`) {
			t.Errorf("%s: %v, the file is\n%s", name, err, file)
		}
		contains(t, out, "(backend_engineer_london_qrt_2):\n  The position has this assessment already, in the state. ", "Next, plan and apply. ")
	}
	// A spreadsheet of the rest does not replace the one that the state comes from.
	file, out, err := exports(t, having(t, "", organization()[:1]...), func(o *export.Options) {
		asCSV(t.TempDir())(o)
		withState(shown)(o)
	})
	if err != nil || strings.Contains(file, "Quartet Games") || !strings.Contains(file, "SQL Queries") {
		t.Errorf("%v, the file is\n%s", err, file)
	}
	contains(t, out, "Next, copy the rows into your spreadsheet and imports.tf beside your configuration. Then plan and apply.")
	// The rows that the state manages are not among those that cannot have a row.
	duplicate := organization()[:1]
	duplicate[0].Assessments[1] = sandbox.PositionAssessment{ID: "a7", Assessment: "asm-quartet"}
	duplicate[0].Assessments = duplicate[0].Assessments[:2]
	_, out, err = exports(t, having(t, "", duplicate...), func(o *export.Options) {
		asCSV(t.TempDir())(o)
		withState(shown)(o)
	})
	contains(t, out, "because none of these position assessments can have a row:\n\nQuartet Games on Backend Engineer, London (")
	if err != nil || strings.Contains(out, "Next,") {
		t.Errorf("%v, printed\n%s", err, out)
	}
	for text, says := range map[string]string{
		"x": "it is not JSON", `{"format": 1}`: "it is no state", `{"format_version": "1.2", "planned_values": {}}`: "it is no state",
		"[]": "it is no state", `{"version": {"value": "4"}}`: "it is no state",
	} {
		_, _, err := exports(t, having(t, ""), withState(text))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
