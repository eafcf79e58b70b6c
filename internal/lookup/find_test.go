// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Row 4: where the service does not show titles, no message says that a title is wrong.
func TestTitlesThatAreNotShown(t *testing.T) {
	t.Parallel()
	title := "Engineer"
	find := func(all ...assessapi.Position) string {
		var diags diag.Diagnostics
		s := Search[assessapi.Position]{
			Item: "position", Attribute: "title", Wanted: types.StringValue("Manager"),
			Value:    func(p assessapi.Position) types.String { return types.StringPointerValue(p.Title) },
			Describe: func(p assessapi.Position) Description { return Description(p.ID) },
		}
		s.One(all, &diags)
		return diags[0].Detail()
	}
	for name, text := range map[string]string{
		"all":  find(assessapi.Position{ID: "a"}, assessapi.Position{ID: "b"}),
		"some": find(assessapi.Position{ID: "a", Title: &title}, assessapi.Position{ID: "b"}),
	} {
		if !strings.Contains(text, "The service does not show the title of") || strings.Contains(text, "correct the value") ||
			!strings.Contains(text, `set the attribute "id" instead`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text := find(assessapi.Position{ID: "a", Title: &title}); !strings.Contains(text, "correct the value") {
		t.Error(text)
	}
}
