// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The IDs of an identity are checked as the IDs of an import ID are.
func TestImportOfIdentity(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"a/b 50%": true, "": false, "..": false, "Łódź": false} {
		var diags diag.Diagnostics
		ids, ok := ImportIDs(t.Context(), resource.ImportStateRequest{Identity: &tfsdk.ResourceIdentity{
			Schema: identityschema.Schema{Attributes: map[string]identityschema.Attribute{
				"position_id": identityschema.StringAttribute{}, "id": identityschema.StringAttribute{},
			}},
			Raw: tftypes.NewValue(
				tftypes.Object{AttributeTypes: map[string]tftypes.Type{"position_id": tftypes.String, "id": tftypes.String}},
				map[string]tftypes.Value{
					"position_id": tftypes.NewValue(tftypes.String, "pos"), "id": tftypes.NewValue(tftypes.String, id),
				}),
		}}, "position_id", "id", "POSITION_ID/ID", &diags)
		if ok != want || diags.HasError() == want || ok && ids != [2]string{"pos", id} ||
			!ok && !strings.Contains(diags[0].Detail(), "or the identity") {
			t.Errorf("%q: %q, %t, %v", id, ids, ok, diags)
		}
	}
}
