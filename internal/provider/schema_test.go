// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

// sensitive lists all attributes that the CLIs hide. Only a short list may have elements with
// sensitive attributes, because the processing time of the CLIs grows with the square of the
// number of sensitive values. A position has at most about a dozen position assessments.
var sensitive = []string{
	"data assess_position_assessment.extra_json",
	"data assess_position_assessment.profile_url",
	"data assess_position_assessments.assessments[].extra_json",
	"data assess_position_assessments.assessments[].profile_url",
	"data assess_position_results.candidate_login_urls",
	"data assess_position_results.raw_json",
	"ephemeral assess_position_results.candidate_login_urls",
	"ephemeral assess_position_results.raw_json",
	"ephemeral assess_profile_link.url",
	"provider.api_key",
	"provider.headers",
	"provider.rate_limit.coordination",
	"resource assess_position_assessment.profile_url",
}

// element is an attribute or a block, with its path from the root of its schema. "[]"
// marks lists, sets and maps.
type element struct {
	path        string
	belowSet    bool
	description string
	kind        tfprotov6.StringKind
	sensitive   bool
}

// newServer returns a provider that has not been configured, with everything that it serves.
func newServer(t *testing.T) callctx.Server {
	t.Helper()
	server, complete := provider.NewServer(&provider.Provider{}).(callctx.Server)
	if !complete {
		t.Fatal("the provider does not serve everything")
	}
	return server
}

// schemas returns every schema that the provider serves, by name.
func schemas(t *testing.T) map[string]*tfprotov6.SchemaBlock {
	t.Helper()
	all, err := newServer(t).GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]*tfprotov6.SchemaBlock{"provider": all.Provider.Block}
	for kind, schemas := range map[string]map[string]*tfprotov6.Schema{
		"resource": all.ResourceSchemas, "data": all.DataSourceSchemas, "ephemeral": all.EphemeralResourceSchemas,
		"list": all.ListResourceSchemas,
	} {
		for name, s := range schemas {
			blocks[kind+" "+name] = s.Block
		}
	}
	for name, s := range all.ActionSchemas {
		blocks["action "+name] = s.Schema.Block
	}
	return blocks
}

// elements returns a block, and all attributes and blocks in it, at any depth.
func elements(path string, belowSet bool, block *tfprotov6.SchemaBlock) []element {
	found := []element{{path, belowSet, block.Description, block.DescriptionKind, false}}
	found = append(found, attributesOf(path, belowSet, block.Attributes)...)
	for _, nested := range block.BlockTypes {
		below := path + "." + nested.TypeName
		if nested.Nesting != tfprotov6.SchemaNestedBlockNestingModeSingle {
			below += "[]"
		}
		isSet := nested.Nesting == tfprotov6.SchemaNestedBlockNestingModeSet
		found = append(found, elements(below, belowSet || isSet, nested.Block)...)
	}
	return found
}

func attributesOf(path string, belowSet bool, attributes []*tfprotov6.SchemaAttribute) (found []element) {
	for _, a := range attributes {
		at := path + "." + a.Name
		found = append(found, element{at, belowSet, a.Description, a.DescriptionKind, a.Sensitive})
		if a.NestedType == nil {
			continue
		}
		if a.NestedType.Nesting != tfprotov6.SchemaObjectNestingModeSingle {
			at += "[]"
		}
		isSet := a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSet
		found = append(found, attributesOf(at, belowSet || isSet, a.NestedType.Attributes)...)
	}
	return found
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	var hidden []string
	for root, block := range schemas(t) {
		for _, e := range elements(root, false, block) {
			if e.description == "" || e.kind != tfprotov6.StringKindMarkdown {
				t.Errorf("%s has no MarkdownDescription", e.path)
			}
			// The framework looks up computed values, defaults and plan modifiers below a set
			// by the value of an element, which they change.
			if e.belowSet {
				t.Errorf("%s is below a set: use a set of IDs, or a list or a map of objects", e.path)
			}
			if e.sensitive {
				hidden = append(hidden, e.path)
			}
		}
	}
	slices.Sort(hidden)
	if !slices.Equal(hidden, sensitive) {
		t.Errorf("the sensitive attributes are\n  %s\nbut the list of this test has\n  %s",
			strings.Join(hidden, "\n  "), strings.Join(sensitive, "\n  "))
	}
}
