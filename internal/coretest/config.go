// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Body holds the arguments of a block by name. A value is a string, a number, a
// boolean, a list of them ([]string or []any), a Body for a nested block, a [Ref], or
// nil. A member that is nil is one that the configuration mentions.
type Body map[string]any

// Ref refers to a top-level attribute of another resource. It is unknown in a plan
// while the attribute is unknown.
type Ref struct{ Addr, Attribute string }

// Input is what a module gets from its caller. It is unknown in a validation.
type Input struct{ Value any }

// Dynamic is a dynamic block. While ForEach is unknown, the provider gets the block with unknown arguments, and with
// null for those that Content does not mention. The block is absent if ForEach is null.
type Dynamic struct {
	ForEach any // a string, a [Ref], an [Input] or nil
	Content Body
}

// Config is a root module in which every count and for_each is expanded.
type Config struct {
	Providers map[string]Body // by alias; "" is the default configuration
	Resources []Resource
	Moved     []Moved
	Removed   []string // resources without instance keys that are dropped from the state
	Imports   []Import
}

// Resource is one instance of a managed resource, or of a data source when its
// address begins with "data.".
type Resource struct {
	Addr     string // such as assess_position_assessment.a["key"]
	Provider string // alias of the provider configuration
	Body     Body

	DependsOn           []string // resources
	CreateBeforeDestroy bool
	IgnoreChanges       []string // top-level attributes and blocks, or "all"
	ReplaceTriggeredBy  []string // addresses
}

// Moved is a moved block: a resource or an instance with a new address.
type Moved struct{ From, To string }

// Import is an import block.
type Import struct{ To, ID string }

func (c *Config) resource(addr string) *Resource {
	i := slices.IndexFunc(c.Resources, func(r Resource) bool { return r.Addr == addr })
	if i < 0 {
		return nil
	}
	return &c.Resources[i]
}

// resourceOf returns an address without its instance key.
func resourceOf(addr string) string {
	name, _, _ := strings.Cut(addr, "[")
	return name
}

func isData(addr string) bool { return strings.HasPrefix(addr, "data.") }

func typeOf(addr string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(addr, "data."), ".")
	return name
}

// refs returns the resources that a value refers to.
func refs(v any) []string {
	var found []string
	switch v := v.(type) {
	case Ref:
		found = append(found, resourceOf(v.Addr))
	case Input:
		return refs(v.Value)
	case Dynamic:
		return append(refs(v.ForEach), refs(v.Content)...)
	case Body:
		for _, member := range v {
			found = append(found, refs(member)...)
		}
	case []any:
		for _, element := range v {
			found = append(found, refs(element)...)
		}
	}
	return found
}

// settingsOf returns the resources that the settings of a resource's provider refer to. A
// walk configures the provider after it has visited them.
func (c *Config) settingsOf(addr, alias string) []string {
	if typeOf(addr) == builtinType {
		return nil
	}
	return refs(c.Providers[alias])
}

// dependencies returns the direct dependencies of a resource, sorted.
func (c *Config) dependencies(r *Resource) []string {
	found := append(refs(r.Body), c.settingsOf(r.Addr, r.Provider)...)
	found = append(found, r.DependsOn...)
	for _, addr := range r.ReplaceTriggeredBy {
		found = append(found, resourceOf(addr))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// instances returns the addresses of the instances of resources.
func (c *Config) instances(names []string) (addrs []string) {
	for _, r := range c.Resources {
		if slices.Contains(names, resourceOf(r.Addr)) {
			addrs = append(addrs, r.Addr)
		}
	}
	return addrs
}

// ancestors returns all direct and indirect dependencies of a resource, sorted.
func (c *Config) ancestors(r *Resource) []string {
	seen := map[string]bool{}
	var visit func(r *Resource)
	visit = func(r *Resource) {
		for _, name := range c.dependencies(r) {
			if seen[name] {
				continue
			}
			seen[name] = true
			for i := range c.Resources {
				if resourceOf(c.Resources[i].Addr) == name {
					visit(&c.Resources[i])
				}
			}
		}
	}
	visit(r)
	return sortedKeys(seen)
}

// createsFirst reports whether replacements of a resource create the new object before
// they destroy the old one. This is so if create_before_destroy is set on the resource
// or on a resource that depends on it.
func (c *Config) createsFirst(r *Resource) bool {
	if r.CreateBeforeDestroy {
		return true
	}
	for i := range c.Resources {
		other := &c.Resources[i]
		if other.CreateBeforeDestroy && slices.Contains(c.ancestors(other), resourceOf(r.Addr)) {
			return true
		}
	}
	return false
}

// value converts a Go value to a type. resolve returns the values of references and of inputs.
func value(typ tftypes.Type, v any, resolve func(typ tftypes.Type, of any) tftypes.Value) tftypes.Value {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(typ, nil)
	case tftypes.Value:
		return v
	case Ref, Input:
		return resolve(typ, v)
	case Dynamic:
		each := value(tftypes.String, v.ForEach, resolve)
		switch {
		case !each.IsKnown():
			return unexpandedBlock(typ, func(argument string) bool { return mentions(v, argument) })
		case each.IsNull():
			return tftypes.NewValue(typ, nil)
		}
		return value(typ, v.Content, resolve)
	case map[string]any:
		return value(typ, Body(v), resolve)
	case Body:
		object, _ := typ.(tftypes.Object)
		members := map[string]tftypes.Value{}
		for name, t := range object.AttributeTypes {
			members[name] = value(t, v[name], resolve)
		}
		return tftypes.NewValue(typ, members)
	case []string:
		elements := make([]any, len(v))
		for i, element := range v {
			elements[i] = element
		}
		return value(typ, elements, resolve)
	case []any:
		elements := make([]tftypes.Value, len(v))
		for i, element := range v {
			elements[i] = value(tftypes.String, element, resolve)
		}
		return canonical(tftypes.NewValue(typ, elements))
	default:
		return tftypes.NewValue(typ, v)
	}
}

// mentions reports whether a block mentions an argument.
func mentions(block any, argument string) bool {
	body, _ := block.(Body)
	if dynamic, is := block.(Dynamic); is {
		body = dynamic.Content
	}
	_, ok := body[argument]
	return ok
}

// unexpandedBlock returns a dynamic block while it is not known whether the configuration has it.
func unexpandedBlock(typ tftypes.Type, mentioned func(argument string) bool) tftypes.Value {
	block, _ := typ.(tftypes.Object)
	inner := map[string]tftypes.Value{}
	for argument, t := range block.AttributeTypes {
		inner[argument] = tftypes.NewValue(t, nil)
		if mentioned(argument) {
			inner[argument] = tftypes.NewValue(t, tftypes.UnknownValue)
		}
	}
	return tftypes.NewValue(typ, inner)
}

// unexpanded returns the body of a resource with count or for_each as validation sees
// it. Nothing is expanded yet, so values that depend on the instance key are unknown. A block that only some instances
// have is dynamic. Arguments that no instance mentions are null.
func unexpanded(typ tftypes.Type, instances []Resource) tftypes.Value {
	object, _ := typ.(tftypes.Object)
	members := map[string]tftypes.Value{}
	for name, t := range object.AttributeTypes {
		set := slices.ContainsFunc(instances, func(r Resource) bool { return r.Body[name] != nil })
		switch block, isBlock := t.(tftypes.Object); {
		case !set:
			members[name] = tftypes.NewValue(t, nil)
		case isBlock:
			members[name] = unexpandedBlock(block, func(argument string) bool {
				return slices.ContainsFunc(instances, func(r Resource) bool { return mentions(r.Body[name], argument) })
			})
		default:
			members[name] = tftypes.NewValue(t, tftypes.UnknownValue)
		}
	}
	return tftypes.NewValue(typ, members)
}
