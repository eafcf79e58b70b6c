// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// noun is a kind of thing that the service lists and that configurations refer to,
// such as benchmarks. Two data sources come of each noun: one finds a single thing by
// its id or name, the other lists all of them.
type noun[T assessapi.Labeled] struct {
	one, many form
	list      string     // the attribute with all things
	fields    []field[T] // attributes of a thing, besides id and extra_json
	// keys are the fields by which one thing is found, besides the id. The map of ids
	// is by the first of them.
	keys    []string
	subsets []subset[T]
	extra   func(*configured, T) types.String // extra_json
	// read reads the list. find reads as much of it as can contain the one thing.
	// Without find, read does.
	read, find func(context.Context, *configured, types.Object) ([]T, error)
	// byLocale is whether both data sources have the optional argument locale.
	byLocale bool
}

// form is what is different in the two data sources of a noun.
type form struct {
	name, description string // such as "skills test"
	arguments         map[string]schema.Attribute
}

// field is an attribute of a thing. The type of its value is that of a zero T.
type field[T any] struct {
	name, description string
	value             func(T) attr.Value
}

// subset is an attribute with the ids of some things.
type subset[T any] struct {
	name, description string
	contains          func(T) bool
}

// text is a field that is null if the service does not say it.
func text[T any](name, description string, of func(T) *string) field[T] {
	return field[T]{name, description, func(t T) attr.Value { return types.StringPointerValue(of(t)) }}
}

// flag is a field that is null if the service does not say it.
func flag[T any](name, description string, of func(T) *bool) field[T] {
	return field[T]{name, description, func(t T) attr.Value { return types.BoolPointerValue(of(t)) }}
}

func (f field[T]) attribute() schema.Attribute {
	var zero T
	switch f.value(zero).(type) {
	case types.Bool:
		return schema.BoolAttribute{Computed: true, MarkdownDescription: f.description}
	case types.Number:
		return schema.NumberAttribute{Computed: true, MarkdownDescription: f.description}
	default:
		return schema.StringAttribute{Computed: true, MarkdownDescription: f.description}
	}
}

// attributes are those of a thing, as the service gives it.
func (n *noun[T]) attributes() map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"id":         schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the " + n.one.name + "."},
		"extra_json": extraAttribute(),
	}
	for _, f := range n.fields {
		all[f.name] = f.attribute()
	}
	return all
}

func (n *noun[T]) values(c *configured, thing T) map[string]attr.Value {
	all := map[string]attr.Value{"id": types.StringValue(thing.Label().ID), "extra_json": n.extra(c, thing)}
	for _, f := range n.fields {
		all[f.name] = f.value(thing)
	}
	return all
}

// text is a field of a thing.
func (n *noun[T]) text(name string, thing T) types.String {
	if name == "id" {
		return types.StringValue(thing.Label().ID)
	}
	i := slices.IndexFunc(n.fields, func(f field[T]) bool { return f.name == name })
	value, _ := n.fields[i].value(thing).(types.String)
	return value
}

// fits reports whether a thing has the locale that is asked for.
func (n *noun[T]) fits(config types.Object, thing T) bool {
	locale := stringIn(config, "locale")
	return !n.byLocale || locale.IsNull() ||
		rules.SameLocale(n.text("locale", thing).ValueString(), locale.ValueString())
}

// schemaOfOne describes the data source that finds a single thing.
func (n *noun[T]) schemaOfOne() schema.Schema {
	attributes := n.attributes()
	for _, key := range n.allKeys() {
		description := strings.TrimSuffix(attributes[key].GetMarkdownDescription(), ".") + ", compared exactly."
		if key == "id" {
			description = "Id of the " + n.one.name + ". Set exactly one of `" + strings.Join(n.allKeys(), "`, `") + "`."
		}
		attributes[key] = schema.StringAttribute{
			Optional: true, Computed: true, Validators: []validator.String{latin1{}}, MarkdownDescription: description,
		}
	}
	maps.Copy(attributes, n.one.arguments)
	return schema.Schema{MarkdownDescription: n.one.description, Attributes: attributes}
}

// schemaOfMany describes the data source that lists all things.
func (n *noun[T]) schemaOfMany() schema.Schema {
	attributes := map[string]schema.Attribute{
		n.list: schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The " + n.many.name + ".",
			NestedObject: schema.NestedAttributeObject{Attributes: n.attributes()},
		},
		"ids": idsAttribute("Ids of the " + n.many.name + ", in the service's order."),
		n.mapName(): idsByName("Ids of the " + n.many.name + " by " + n.keys[0] + ". A " + n.keys[0] + " that occurs more " +
			"than once is omitted."),
	}
	for _, s := range n.subsets {
		attributes[s.name] = idsAttribute(s.description)
	}
	maps.Copy(attributes, n.many.arguments)
	return schema.Schema{MarkdownDescription: n.many.description, Attributes: attributes}
}

func (n *noun[T]) allKeys() []string { return append([]string{"id"}, n.keys...) }

func (n *noun[T]) mapName() string { return "ids_by_" + n.keys[0] }

// listed are the computed attributes of the data source that lists all things.
func (n *noun[T]) listed(c *configured, things []T) map[string]attr.Value {
	of := map[string]attr.Type{}
	for name, attribute := range n.attributes() {
		of[name] = attribute.GetType()
	}
	names := make([]assessapi.Label, len(things))
	for i, thing := range things {
		names[i] = assessapi.Label{ID: thing.Label().ID, Name: n.text(n.keys[0], thing).ValueString()}
	}
	ids, _ := assessapi.ByName(names)
	all := map[string]attr.Value{
		n.list:      objectList(of, things, func(thing T) map[string]attr.Value { return n.values(c, thing) }),
		"ids":       n.ids(things, func(T) bool { return true }),
		n.mapName(): idMap(ids),
	}
	for _, s := range n.subsets {
		all[s.name] = n.ids(things, s.contains)
	}
	return all
}

// ids are those of some things, in their order.
func (n *noun[T]) ids(things []T, contains func(T) bool) types.List {
	ids := []string{}
	for _, thing := range things {
		if contains(thing) {
			ids = append(ids, thing.Label().ID)
		}
	}
	return idList(ids)
}

// only finds the one thing that the arguments ask for.
func (n *noun[T]) only(all []T, config types.Object, diags *diag.Diagnostics) *T {
	keys := n.allKeys() // a validator ensures that exactly one is set
	key := keys[slices.IndexFunc(keys, func(key string) bool { return !stringIn(config, key).IsNull() })]
	shown, s := n.keys, search[T]{
		noun: n.one.name, attribute: key, wanted: stringIn(config, key),
		of:   func(thing T) types.String { return n.text(key, thing) },
		fits: func(thing T) bool { return n.fits(config, thing) },
		fix:  "look one of them up by its id",
	}
	if n.byLocale {
		shown = append(slices.Clone(shown), "locale")
		if locale := stringIn(config, "locale"); locale.IsNull() {
			s.fix = "set locale, or " + s.fix
		} else {
			s.and = fmt.Sprintf(" and the locale %s", locale)
		}
	}
	s.shown = func(thing T) description {
		values := make([]string, len(shown))
		for i, name := range shown {
			values[i] = name + " " + n.text(name, thing).String()
		}
		return description(fmt.Sprintf("%q (%s)", thing.Label().ID, strings.Join(values, ", ")))
	}
	return s.only(all, diags)
}
