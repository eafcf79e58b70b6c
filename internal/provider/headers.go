// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// headersAttribute returns the schema of the attribute "headers".
func headersAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, Sensitive: true, ElementType: types.StringType, Validators: []validator.Map{httpHeaders},
		MarkdownDescription: "HTTP headers for each request to `base_url`, by name, for [a " +
			"gateway](guides/organizations.md#gateways). Default: the headers in `ASSESS_HEADERS`, a JSON object.",
	}
}

// httpHeaders validates the attribute "headers". Its messages contain no values and point to no line of the
// configuration, because a line can contain a secret.
var httpHeaders = tf.RuleOf("must be headers that HTTP allows, and that the provider does not set itself",
	func(_ path.Path, value types.Map) diag.Diagnostic {
		if _, err := assessapi.ParseHeaders(headersText(value)); err != nil {
			return problem(run.InvalidHeaders(err))
		}
		return nil
	})

// headersText returns the headers of the attribute as JSON, in the format of the environment variable ASSESS_HEADERS.
// If the value of a header is not known yet, the JSON contains an empty string for it.
func headersText(value types.Map) string {
	headers := map[string]*string{}
	for name, element := range value.Elements() {
		text, _ := element.(types.String)
		headers[name] = text.ValueStringPointer() // nil if it is null, and "" if it is unknown
	}
	text, _ := json.Marshal(headers) // a map of strings can always be encoded
	return string(text)
}
