// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
)

// plan is the output of "tofu show -json" for a plan.
type plan struct {
	tfjson.Plan
	errored bool
	// adopted are the addresses of the creations that adopt an existing position assessment. They come from the
	// messages of the plan, because plan.json does not contain them.
	adopted map[string]bool
	// created are the IDs of what the apply has created or adopted, by address. They come from the messages of the
	// apply.
	created map[string]string
}

// decodePlan reads a plan. It returns an error for a text that is not a plan, such as a state. Without an error, the
// PriorState and the Config of the plan are not nil, even if the text does not contain them.
func decodePlan(text []byte) (p plan, err error) {
	p.UseJSONNumber(true) // two large numbers can be the same float64
	if err := json.Unmarshal(text, &p.Plan); err != nil {
		return p, err
	}
	isPlan := p.PlannedValues != nil || p.ResourceChanges != nil || p.ResourceDrift != nil || p.OutputChanges != nil
	if !isPlan { // a plan of a CLI always has planned_values, and a state has none of these
		return p, errors.New("it is not a plan")
	}
	var more struct {
		Errored bool `json:"errored"`
	}
	err = json.Unmarshal(text, &more)
	p.errored = more.Errored
	p.PriorState, p.Config = cmp.Or(p.PriorState, &tfjson.State{}), cmp.Or(p.Config, &tfjson.Config{})
	return p, err
}

// adoptedAt returns the address at which the apply has adopted the position assessment that c removes or replaces, or
// "". It compares the positions, too, unless the plan does not know the position at that address.
func (p plan) adoptedAt(c *tfjson.ResourceChange) string {
	id, position := textAt(c.Change.Before, "id"), textAt(c.Change.Before, "position_id")
	if id == "" || c.Type != positionAssessment || len(p.created) == 0 {
		return ""
	}
	for _, creation := range p.ResourceChanges {
		planned := textAt(creation.Change.After, "position_id")
		if p.created[creation.Address] == id && creation.Type == positionAssessment && creation.DeposedKey == "" &&
			(planned == "" || planned == position) {
			return creation.Address
		}
	}
	return ""
}

// stateResources returns the resources and data sources of a state.
func stateResources(v *tfjson.StateValues) []*tfjson.StateResource {
	if v == nil || v.RootModule == nil {
		return nil
	}
	all := slices.Clone(v.RootModule.Resources)
	for _, child := range v.RootModule.ChildModules {
		all = append(all, stateResources(&tfjson.StateValues{RootModule: child})...)
	}
	return all
}

// isChange reports whether a plan changes an object or an output.
func isChange(c *tfjson.Change) bool { return !c.Actions.NoOp() && !c.Actions.Read() }

// driftOf returns what the plan has found about an object that it changes, or nil.
func (p plan) driftOf(c *tfjson.ResourceChange) *tfjson.ResourceChange {
	for _, drift := range p.ResourceDrift {
		if drift.Address == c.Address && drift.DeposedKey == c.DeposedKey {
			return drift
		}
	}
	return nil
}

func isRename(c *tfjson.ResourceChange) bool {
	return c.PreviousAddress != "" && c.PreviousAddress != c.Address
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
