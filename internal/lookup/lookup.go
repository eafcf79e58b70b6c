// SPDX-License-Identifier: MPL-2.0

// Package lookup contains the data sources for items that the service lists, such as benchmarks. For each kind of item,
// one data source finds one item, and another returns all items. kinds.go describes each kind once, for both data
// sources.
package lookup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// lookup describes two data sources for items that the service lists, such as benchmarks: a singular one that finds one
// item by its id or name, and a plural one that returns all items.
type lookup[T assessapi.Listed] struct {
	name         string // of one item, such as "skills test"
	finds, lists string // what the two data sources do. Without finds, there is only the plural one
	// assessment describes the assessment that has the items, such as "skills assessment". It is "" if the organization
	// has the items.
	assessment                   string
	findArguments, listArguments arguments    // other arguments of the two data sources
	list                         string       // name of the attribute with all items. Default: plural()
	fields                       tf.Fields[T] // attributes of an item, besides its ID, its name and extra_json
	// keys are the fields by which the singular data source can search, besides the ID. The first key is the key of the
	// map of IDs. The last key is the name, or the title.
	keys    []string
	subsets []subset[T]
	// read reads all items. find reads fewer items if that is enough to find the item that the arguments ask for. find may
	// be nil.
	read, find func(context.Context, *tf.Run, types.Object) ([]T, error)
	// advice returns additional advice for the error if no item has the wanted value of a key. It may be nil.
	advice func(key, wanted string, similar []T) string
}

// plural is the name of several items.
func (l *lookup[T]) plural() string { return l.name + "s" }

// listName is the attribute with all items.
func (l *lookup[T]) listName() string { return cmp.Or(l.list, l.plural()) }

// with adds the parameter arguments to the map attributes, and returns the map. If an assessment has the items, it also
// adds the argument "assessment_id".
func (l *lookup[T]) with(attributes, arguments map[string]schema.Attribute) map[string]schema.Attribute {
	if l.assessment != "" {
		attributes["assessment_id"] = tf.RequiredID("ID of the " + l.assessment + ".")
	}
	maps.Copy(attributes, arguments)
	return attributes
}

// subset is an attribute with the ids of some items.
type subset[T any] struct {
	name, description string
	contains          func(T) bool
}

// boolField returns a boolean field, which is null if the service does not return it.
func boolField[T any](name, description string, of func(T) *bool) tf.Field[T] {
	attribute := schema.BoolAttribute{Computed: true, MarkdownDescription: description}
	return tf.Field[T]{Name: name, Attribute: attribute, Value: func(_ tf.Privacy, item T) attr.Value {
		return types.BoolPointerValue(of(item))
	}}
}

// allFields returns the fields that all kinds have, followed by the fields of this kind.
func (l *lookup[T]) allFields() tf.Fields[T] {
	named := messages.Sentence(l.nameKey() + " of the " + strings.TrimSuffix(cmp.Or(l.list, l.name), "s"))
	return append(tf.Fields[T]{
		tf.StringField("id", "ID of the "+l.name+".", func(item T) *string { return new(item.Base().ID) }),
		tf.StringField(l.nameKey(), named, func(item T) *string { return item.Base().Name }),
		tf.ExtraField(false, func(item T) *string { return item.Base().Extra }),
	}, l.fields...)
}

// text returns a function that returns the value of a string field of an item.
func (l *lookup[T]) text(name string) func(item T) types.String {
	fields := l.allFields()
	i := slices.IndexFunc(fields, func(f tf.Field[T]) bool { return f.Name == name })
	return func(item T) types.String {
		text, _ := fields[i].Value(tf.Standard, item).(types.String)
		return text
	}
}

// filter returns the items with the locale that the arguments ask for. If they ask for none, it returns all items.
func (l *lookup[T]) filter(config types.Object, items []T) []T {
	wanted := tf.StringIn(config, "locale")
	if wanted.IsNull() {
		return items
	}
	locale := l.text("locale")
	return slices.DeleteFunc(slices.Clone(items), func(item T) bool {
		return !messages.SameLocale(locale(item).ValueString(), wanted.ValueString())
	})
}

// singularSchema describes the data source that finds one item. A configuration can set the attributes that are keys,
// and the arguments. All other attributes are computed.
func (l *lookup[T]) singularSchema() schema.Schema {
	attributes := l.allFields().Attributes()
	for _, key := range l.allKeys() {
		charset, description := tf.Latin1Name, attributes[key].GetMarkdownDescription()+" It must match exactly."
		if key == "id" {
			charset = tf.Latin1
			description = "ID of the " + l.name + ". Set exactly one of `" + strings.Join(l.allKeys(), "`, `") + "`."
		}
		attributes[key] = schema.StringAttribute{
			Optional: true, Computed: true, Validators: []validator.String{charset}, MarkdownDescription: description,
		}
	}
	return schema.Schema{MarkdownDescription: l.finds, Attributes: l.with(attributes, l.findArguments)}
}

// pluralSchema describes the data source that returns all items: as a list of objects, as a list of IDs, as a map of
// IDs by the first key, and as a list of IDs for each subset.
func (l *lookup[T]) pluralSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		l.listName(): schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The " + l.plural() + ", in the order of the service.",
			NestedObject: schema.NestedAttributeObject{Attributes: l.allFields().Attributes()},
		},
		"ids":       tf.IDsAttribute("IDs, in the order of the service."),
		l.mapName(): tf.IDsByName("IDs by " + l.keys[0] + ", without a " + l.keys[0] + " that occurs more than once."),
	}
	for _, s := range l.subsets {
		attributes[s.name] = tf.IDsAttribute(s.description)
	}
	return schema.Schema{MarkdownDescription: l.lists, Attributes: l.with(attributes, l.listArguments)}
}

func (l *lookup[T]) allKeys() []string { return append([]string{"id"}, l.keys...) }

func (l *lookup[T]) nameKey() string { return l.keys[len(l.keys)-1] }

func (l *lookup[T]) mapName() string { return "ids_by_" + l.keys[0] }

// pluralValues returns the values of the computed attributes of the plural data source. ambiguous are the values of the
// first key that several items have. The map of IDs omits these values, and items without a value.
func (l *lookup[T]) pluralValues(c *tf.Run, items []T) (values map[string]attr.Value, ambiguous []string) {
	keyOf := l.text(l.keys[0])
	labels := make([]assessapi.Label, len(items))
	for i, item := range items {
		labels[i] = assessapi.Label{ID: item.Base().ID, Name: keyOf(item).ValueString()}
	}
	ids, ambiguous := assessapi.ByName(labels)
	values = map[string]attr.Value{
		l.listName(): l.allFields().List(c.Privacy, items),
		"ids":        idsWhere(items, func(T) bool { return true }),
		l.mapName():  tf.IDMap(ids),
	}
	for _, s := range l.subsets {
		values[s.name] = idsWhere(items, s.contains)
	}
	return values, ambiguous
}

// ambiguousWarning names what the map of the plural data source omits.
func (l *lookup[T]) ambiguousWarning(config types.Object, names []string) diag.Diagnostic {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	options := "refer to these " + l.plural() + " by their IDs, which the attribute " + l.listName() + " shows"
	if _, byLocale := l.listArguments["locale"]; byLocale && tf.StringIn(config, "locale").IsNull() {
		options = "set locale, or " + options
	}
	return tf.Warning("Ambiguous names omitted", fmt.Sprintf("Several %s have the same %s, so the map %s omits it: %s. "+
		"If a for_each uses this map, the plan removes what it had for an omitted %[2]s.\n\nOptions: %[5]s.",
		l.plural(), l.keys[0], l.mapName(), messages.OneOf(quoted), options))
}

// idsWhere returns the IDs of the items for which contains returns true, in the order of the items.
func idsWhere[T assessapi.Listed](items []T, contains func(T) bool) types.List {
	ids := []string{}
	for _, item := range items {
		if contains(item) {
			ids = append(ids, item.Base().ID)
		}
	}
	return tf.IDList(ids)
}

// one returns the item in all that matches the arguments of the singular data source. If no item matches, or if several
// items match, it returns nil and adds an error to diags.
func (l *lookup[T]) one(c *tf.Run, all []T, config types.Object, diags *diag.Diagnostics) *T {
	_, byLocale := l.findArguments["locale"]
	shown := slices.Clone(l.keys) // the attributes by which a message describes an item
	if byLocale {
		shown = append(shown, "locale")
	}
	key := l.keyIn(config)
	s := Search[T]{
		Item: l.name, Attribute: key, Wanted: tf.StringIn(config, key), Value: l.text(key),
		Describe: l.describe(c, shown), fixSeveral: "set id to one of these IDs instead", advice: l.advice,
		compare: func(found []T) func(T) string {
			return l.describe(c, slices.Concat(shown, l.differences(c, found, shown)))
		},
	}
	if byLocale {
		l.searchLocale(&s, config)
	}
	if assessment := assessmentOf(config); assessment != "" {
		s.none = fmt.Sprintf("Assessment %s has no %s.", c.Lists.AssessmentLabel(assessment), l.plural())
	}
	return s.One(all, diags)
}

// searchLocale limits a search to the locale in the arguments. Without a locale, the search advises to set it.
func (l *lookup[T]) searchLocale(s *Search[T], config types.Object) {
	locale := tf.StringIn(config, "locale")
	if locale.IsNull() {
		s.fixSeveral = "set locale, or " + s.fixSeveral
		return
	}
	s.matches = func(item T) bool { return len(l.filter(config, []T{item})) > 0 }
	s.and = fmt.Sprintf(" and the locale %s", locale)
}

// keyIn returns the key that the arguments of the singular data source set. A validator ensures that they set one.
func (l *lookup[T]) keyIn(config types.Object) string {
	keys := l.allKeys()
	return keys[slices.IndexFunc(keys, func(key string) bool { return !tf.StringIn(config, key).IsNull() })]
}

// describe returns a function that describes an item by its ID and some of its attributes.
func (l *lookup[T]) describe(c *tf.Run, attributes []string) func(T) string {
	return func(item T) string {
		all, values := l.allFields().Values(c.Privacy, item), make([]string, len(attributes))
		for i, name := range attributes {
			values[i] = name + " " + all[name].String()
		}
		return fmt.Sprintf("%q (%s)", item.Base().ID, strings.Join(values, ", "))
	}
}

// differences returns the names of the attributes whose values differ between items, except the ID and the attributes
// in shown.
func (l *lookup[T]) differences(c *tf.Run, items []T, shown []string) (names []string) {
	first := l.allFields().Values(c.Privacy, items[0])
	for _, name := range slices.Sorted(maps.Keys(first)) {
		differs := func(item T) bool { return !l.allFields().Values(c.Privacy, item)[name].Equal(first[name]) }
		if name != "id" && !slices.Contains(shown, name) && slices.ContainsFunc(items, differs) {
			names = append(names, name)
		}
	}
	return names
}
