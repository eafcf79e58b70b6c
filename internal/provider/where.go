// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// sayWhere adds the required attributes of a resource to the diagnostics that do not name their values. Since version
// 1.12, Terraform shows only one of several diagnostics of a plan that differ in nothing but their address, and the
// resources of a for_each, such as the rows of a spreadsheet, often have the same mistake.
func (s *server) sayWhere(
	ctx context.Context, all []*tfprotov6.Diagnostic, typeName string, config *tfprotov6.DynamicValue,
) {
	if len(all) == 0 {
		return
	}
	required := s.required(ctx, typeName, config)
	for _, d := range all {
		var where []string
		for _, name := range slices.Sorted(maps.Keys(required)) {
			if !strings.Contains(d.Detail, required[name]) {
				where = append(where, fmt.Sprintf("%s = %q", name, required[name]))
			}
		}
		if d.Detail != "" && len(where) > 0 {
			what, rest, _ := strings.Cut(d.Detail, "\n\n")
			d.Detail = strings.TrimSpace(what + " This is about " + strings.Join(where, ", ") + ".\n\n" + rest)
		}
	}
}

// schemas returns the schemas of the resources. They are built once, because many resources can have a diagnostic.
func (s *server) schemas(ctx context.Context) map[string]*tfprotov6.Schema {
	s.once.Do(func() {
		if served, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err == nil {
			s.resources = served.ResourceSchemas
		}
	})
	return s.resources
}

// required returns the required attributes that have a value.
func (s *server) required(
	ctx context.Context, typeName string, config *tfprotov6.DynamicValue,
) map[string]string {
	schema := s.schemas(ctx)[typeName]
	if schema == nil || config == nil {
		return nil
	}
	var attributes map[string]tftypes.Value
	if object, err := config.Unmarshal(schema.ValueType()); err != nil || object.As(&attributes) != nil {
		return nil
	}
	values := map[string]string{}
	for _, a := range schema.Block.Attributes {
		var value string
		if a.Required && attributes[a.Name].IsKnown() && attributes[a.Name].As(&value) == nil && value != "" {
			values[a.Name] = value
		}
	}
	return values
}
