// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"encoding/json"
	"iter"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
)

// plan is the output of "tofu show -json" for a plan.
type plan struct {
	tfjson.Plan
	errored bool
	// adopted are the creations that take over an existing position assessment, by address, with the import IDs that the
	// message about each of them quotes. Only the messages of a plan show that.
	adopted map[string][]string
}

// decodePlan reads a plan. All changes in it are not nil.
func decodePlan(text []byte) (p plan, err error) {
	p.UseJSONNumber(true) // two large numbers can be the same float64
	if err := json.Unmarshal(text, &p.Plan); err != nil {
		return p, err
	}
	var more struct {
		Errored bool `json:"errored"`
	}
	err = json.Unmarshal(text, &more)
	p.errored = more.Errored
	p.ResourceChanges, p.ResourceDrift = complete(p.ResourceChanges), complete(p.ResourceDrift)
	for name, c := range p.OutputChanges {
		if c == nil {
			delete(p.OutputChanges, name)
		}
	}
	return p, err
}

func complete(all []*tfjson.ResourceChange) []*tfjson.ResourceChange {
	return slices.DeleteFunc(all, func(c *tfjson.ResourceChange) bool { return c == nil || c.Change == nil })
}

// resources returns the resources and data sources of a state.
func resources(values *tfjson.StateValues) iter.Seq[*tfjson.StateResource] {
	return func(yield func(*tfjson.StateResource) bool) {
		if values != nil {
			_ = walk(values.RootModule, yield)
		}
	}
}

func walk(m *tfjson.StateModule, yield func(*tfjson.StateResource) bool) bool {
	if m == nil {
		return true
	}
	for _, r := range m.Resources {
		if r != nil && !yield(r) {
			return false
		}
	}
	for _, child := range m.ChildModules {
		if !walk(child, yield) {
			return false
		}
	}
	return true
}

// prior returns the state before the apply.
func (p plan) prior() *tfjson.StateValues {
	if p.PriorState == nil {
		return nil
	}
	return p.PriorState.Values
}

// changes reports whether a plan changes an object or an output.
func changes(c *tfjson.Change) bool { return !c.Actions.NoOp() && !c.Actions.Read() }

func renames(c *tfjson.ResourceChange) bool {
	return c.PreviousAddress != "" && c.PreviousAddress != c.Address
}

// objectOf returns the object after a change, or the one that is removed.
func objectOf(c *tfjson.Change) any {
	if c.After == nil {
		return c.Before
	}
	return c.After
}

// at returns a part of a JSON value, or nil.
func at(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// textAt returns a string in a JSON value, or "".
func textAt(v any, path ...string) string {
	s, _ := at(v, path...).(string)
	return s
}

// textsAt returns a list of strings in a JSON value.
func textsAt(v any, path ...string) []string {
	items, _ := at(v, path...).([]any)
	var texts []string
	for _, item := range items {
		if s, ok := item.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// marked reports whether any part of a value is marked with true, as after_unknown marks what is not known.
func marked(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case []any:
		return slices.ContainsFunc(v, marked)
	case map[string]any:
		for _, part := range v {
			if marked(part) {
				return true
			}
		}
	}
	return false
}
