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
	find := func(all ...assessapi.Item) string {
		var diags diag.Diagnostics
		s := Search[assessapi.Item]{
			Item: "position", Attribute: "title", Wanted: types.StringValue("Manager"),
			Value:    func(p assessapi.Item) types.String { return types.StringPointerValue(p.Name) },
			Describe: func(p assessapi.Item) string { return p.ID },
		}
		s.One(all, &diags)
		return diags[0].Detail()
	}
	for name, text := range map[string]string{
		"all":  find(assessapi.Item{ID: "a"}, assessapi.Item{ID: "b"}),
		"some": find(assessapi.Item{ID: "a", Name: &title}, assessapi.Item{ID: "b"}),
	} {
		if !strings.Contains(text, "The service does not show the title of") || strings.Contains(text, "correct the value") ||
			!strings.Contains(text, `set the attribute "id" instead`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text := find(assessapi.Item{ID: "a", Name: &title}); !strings.Contains(text, "correct the value") {
		t.Error(text)
	}
}
