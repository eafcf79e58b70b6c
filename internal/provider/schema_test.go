// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

// sensitive lists all attributes that the CLIs hide.
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

// shortLists are the only lists whose elements may have sensitive attributes, because
// the processing time of the CLIs grows with the square of the number of sensitive
// values. A position has at most about a dozen position assessments.
var shortLists = []string{"data assess_position_assessments.assessments[]"}

// element is an attribute or a block, with its path from the root of its schema. "[]"
// marks lists, sets and maps.
type element struct {
	path        string
	belowSet    bool
	description string
	markdown    bool
	attribute   *tfprotov6.SchemaAttribute // nil for a block
}

// schemas returns every schema that the provider serves, by name.
func schemas(t *testing.T) (map[string]*tfprotov6.SchemaBlock, map[string]*tfprotov6.ResourceIdentitySchema) {
	t.Helper()
	server, err := newServer(&provider.Provider{Version: "test"})()
	if err != nil {
		t.Fatal(err)
	}
	all, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(all.Diagnostics) > 0 {
		t.Fatalf("reading the schemas: %v, %v", err, all.Diagnostics)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil || len(identities.Diagnostics) > 0 {
		t.Fatalf("reading the identities: %v, %v", err, identities.Diagnostics)
	}
	blocks := map[string]*tfprotov6.SchemaBlock{"provider": all.Provider.Block}
	for kind, schemas := range map[string]map[string]*tfprotov6.Schema{
		"resource": all.ResourceSchemas, "data": all.DataSourceSchemas, "ephemeral": all.EphemeralResourceSchemas,
	} {
		for name, s := range schemas {
			blocks[kind+" "+name] = s.Block
		}
	}
	return blocks, identities.IdentitySchemas
}

// elements returns all attributes and blocks of a schema, at any depth.
func elements(root string, block *tfprotov6.SchemaBlock) []element {
	var found []element
	var inAttributes func(at string, belowSet bool, attributes []*tfprotov6.SchemaAttribute)
	inAttributes = func(at string, belowSet bool, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			e := element{
				at + "." + a.Name, belowSet, a.Description,
				a.DescriptionKind == tfprotov6.StringKindMarkdown, a,
			}
			found = append(found, e)
			if nested := a.NestedType; nested != nil {
				below := e.path
				if nested.Nesting != tfprotov6.SchemaObjectNestingModeSingle {
					below += "[]"
				}
				inAttributes(below, belowSet || nested.Nesting == tfprotov6.SchemaObjectNestingModeSet,
					nested.Attributes)
			}
		}
	}
	var inBlock func(at string, belowSet bool, b *tfprotov6.SchemaBlock)
	inBlock = func(at string, belowSet bool, b *tfprotov6.SchemaBlock) {
		inAttributes(at, belowSet, b.Attributes)
		for _, nested := range b.BlockTypes {
			below := at + "." + nested.TypeName
			found = append(found, element{
				below, belowSet, nested.Block.Description,
				nested.Block.DescriptionKind == tfprotov6.StringKindMarkdown, nil,
			})
			if nested.Nesting != tfprotov6.SchemaNestedBlockNestingModeSingle {
				below += "[]"
			}
			inBlock(below, belowSet || nested.Nesting == tfprotov6.SchemaNestedBlockNestingModeSet, nested.Block)
		}
	}
	inBlock(root, false, block)
	return found
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	blocks, identities := schemas(t)
	var hidden []string
	for root, block := range blocks {
		if block.Description == "" || block.DescriptionKind != tfprotov6.StringKindMarkdown {
			t.Errorf("%s has no MarkdownDescription", root)
		}
		if name, isResource := strings.CutPrefix(root, "resource "); isResource {
			identity := identities[name]
			if identity == nil || len(identity.IdentityAttributes) == 0 {
				t.Errorf("%s has no identity", root)
				continue
			}
			for _, a := range identity.IdentityAttributes {
				if a.Description == "" {
					t.Errorf("%s: %s of its identity has no description", root, a.Name)
				}
			}
		}
		for _, e := range elements(root, block) {
			if e.description == "" || !e.markdown {
				t.Errorf("%s has no MarkdownDescription", e.path)
			}
			if e.attribute == nil {
				continue
			}
			if e.belowSet && e.attribute.Computed {
				t.Errorf("%s is computed, below a set", e.path)
			}
			if !e.attribute.Sensitive {
				continue
			}
			hidden = append(hidden, e.path)
			if i := strings.LastIndex(e.path, "[]"); i >= 0 && !slices.Contains(shortLists, e.path[:i+2]) {
				t.Errorf("%s is sensitive in each element of a long list: move it to one value next to the list", e.path)
			}
		}
	}
	slices.Sort(hidden)
	if !slices.Equal(hidden, sensitive) {
		t.Errorf("the sensitive attributes are\n  %s\nbut the list of this test has\n  %s",
			strings.Join(hidden, "\n  "), strings.Join(sensitive, "\n  "))
	}
}

// The framework would look up defaults and plan modifiers below a set by the value of
// an element, which they change. They are not part of the protocol, so this test checks
// the framework's schemas.
func TestSchemasHaveNoPlanningBelowSets(t *testing.T) {
	t.Parallel()
	for _, make := range (&provider.Provider{Version: "test"}).Resources(t.Context()) {
		r := make()
		var name resource.MetadataResponse
		r.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "assess"}, &name)
		var s resource.SchemaResponse
		r.Schema(t.Context(), resource.SchemaRequest{}, &s)
		for _, at := range plannedBelowSets(name.TypeName, false, s.Schema.Attributes, s.Schema.Blocks) {
			t.Errorf("%s has a default or plan modifiers, below a set", at)
		}
	}
}

// The search of the test above finds defaults and plan modifiers.
func TestPlannedBelowSets(t *testing.T) {
	t.Parallel()
	planned := schema.StringAttribute{Optional: true, Computed: true, Default: defaulted}
	plain := schema.StringAttribute{Optional: true}
	found := plannedBelowSets("x", false, map[string]schema.Attribute{
		"top": planned,
		"set": schema.SetNestedAttribute{NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"plain": plain,
			"one":   schema.SingleNestedAttribute{Attributes: map[string]schema.Attribute{"deep": planned}},
		}}},
	}, map[string]schema.Block{
		"single": schema.SingleNestedBlock{Attributes: map[string]schema.Attribute{"fine": planned}},
		"many": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{
			Attributes: map[string]schema.Attribute{"bad": planned, "plain": plain},
			Blocks: map[string]schema.Block{
				"list": schema.ListNestedBlock{
					NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{"bad": planned}},
				},
			},
		}},
	})
	slices.Sort(found)
	if want := []string{"x.many.bad", "x.many.list.bad", "x.set.one.deep"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}
