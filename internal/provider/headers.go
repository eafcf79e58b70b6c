// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// headersAttribute is the setting headers.
func headersAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Optional:    true,
		Sensitive:   true,
		ElementType: types.StringType,
		Validators:  []validator.Map{httpHeaders},
		MarkdownDescription: "HTTP headers for each request to `base_url`, by name, for [a " +
			"gateway](guides/organizations.md#gateways). Default: those in `ASSESS_HEADERS`, a JSON object.",
	}
}

// httpHeaders validates the setting headers. No message contains a value, or points to its
// line of the configuration.
var httpHeaders = tf.RuleOf("must be headers that HTTP allows, and that the provider does not set itself",
	func(_ path.Path, value types.Map) diag.Diagnostic {
		_, problem := headersOf(value, "")
		return problem
	})

// headersOf returns the headers of the attribute, which takes precedence, or of the environment
// variable. It returns a diagnostic if the provider cannot send them.
func headersOf(value types.Map, variable string) (map[string]string, diag.Diagnostic) {
	if value.IsNull() {
		headers, err := assessapi.ParseHeaders(variable)
		if err != nil {
			return nil, invalidHeaders(err.Error())
		}
		return headers, nil
	}
	headers := map[string]string{}
	for name, element := range value.Elements() {
		text, _ := element.(types.String)
		if text.IsNull() {
			return nil, invalidHeaders("a value is null")
		}
		headers[name] = text.ValueString() // empty if it is unknown
	}
	if err := assessapi.CheckHeaders(headers); err != nil {
		return nil, invalidHeaders(err.Error())
	}
	return headers, nil
}

func invalidHeaders(reason string) diag.Diagnostic {
	detail := fmt.Sprintf("The provider setting \"headers\" (environment variable ASSESS_HEADERS) is not valid: %s. "+
		"Names and values are not shown here, except for the names of reserved headers.\n\n", reason)
	return tf.Error("Invalid headers", detail+
		"To fix this: write each header as \"NAME\" = \"VALUE\" in the configuration, or as JSON in ASSESS_HEADERS: "+
		"{\"NAME\": \"VALUE\"}. Copy values without line breaks, and remove reserved headers.")
}
