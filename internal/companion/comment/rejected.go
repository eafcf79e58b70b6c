// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// attachment is a position assessment in a plan. An assessment can be attached to a position only once, so the two
// together are its key.
type attachment struct {
	address       string
	id            string // before the apply, "" if there is none yet
	actions       tfjson.Actions
	before, after string // keys before and after the apply. A key is "" if it is not known
	imports       bool
}

// attachments returns the position assessments of a plan, except for deposed objects that the plan removes. It also
// returns, as unchanged, those that only the state contains, for example because the plan was made with -target. It
// returns nil if there can be several organizations ([plan.hasSeveralProviders]), because they can use the same IDs.
func (p plan) attachments() (all []attachment) {
	if p.hasSeveralProviders() {
		return nil
	}
	planned := map[string]bool{}
	for _, c := range p.ResourceChanges {
		planned[c.Address] = true
		// A moved block from its address would move the current object instead.
		removesDeposed := c.DeposedKey != "" && c.Change.Actions.Delete()
		if c.Type == positionAssessment && c.Mode != tfjson.DataResourceMode && !removesDeposed {
			id, before, after := textAt(c.Change.Before, "id"), keyOf(c.Change.Before), keyOf(c.Change.After)
			all = append(all, attachment{c.Address, id, c.Change.Actions, before, after, c.Change.Importing != nil})
		}
	}
	for _, s := range stateResources(p.PriorState.Values) {
		if s.Type == positionAssessment && s.Mode != tfjson.DataResourceMode && !planned[s.Address] {
			id, key := textAt(s.AttributeValues, "id"), keyOf(s.AttributeValues)
			all = append(all, attachment{s.Address, id, tfjson.Actions{tfjson.ActionNoop}, key, key, false})
		}
	}
	return all
}

// hasSeveralProviders reports whether the configuration has a provider block of this provider with an alias, or with
// arguments in a module.
func (p plan) hasSeveralProviders() bool {
	isFurther := func(c *tfjson.ProviderConfig) bool {
		return c != nil && strings.HasSuffix(c.FullName, "/assess") &&
			(c.Alias != "" || c.ModuleAddress != "" && len(c.Expressions) > 0)
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(p.Config.ProviderConfigs)), isFurther)
}

// keyOf returns a key made of the position ID and the assessment ID in v, the values of a position assessment. It
// returns "" if one of the IDs is not known.
func keyOf(v any) string {
	position, assessment := textAt(v, "position_id"), textAt(v, "assessment_id")
	if position == "" || assessment == "" {
		return ""
	}
	return position + "\x00" + assessment
}

// rejections returns the reasons why creations and imports among the [plan.attachments] must be corrected, by address.
// The apply would reject the second of two creations with one key, and a creation while an object with its key is
// attached. It would put an object at two addresses if it adopts or imports what another address keeps. The reasons are
// safe to print. The provider itself can only warn, because it plans one resource at a time.
func (p plan) rejections() map[string]string {
	reasons, all := map[string]string{}, p.attachments()
	firstWith := map[string]string{} // the address of the first creation, by key
	for _, a := range all {
		creates := slices.Contains(a.actions, tfjson.ActionCreate) // also as a part of a replacement
		if !creates && !a.imports || a.after == "" {
			continue
		}
		if first, twice := firstWith[a.after]; twice && creates {
			reasons[a.address] = "The plan attaches it twice, because " + codeSpan(first) +
				" has the same position and assessment"
			continue
		}
		if creates {
			firstWith[a.after] = a.address
		}
		for _, other := range all {
			if why := a.rejectedBecauseOf(other, a.imports || p.adopted[a.address]); why != "" {
				reasons[a.address] = why
			}
		}
	}
	return reasons
}

// rejectedBecauseOf returns why the creation or import a must be corrected because of the object other, or "". other
// can also be a itself. It returns a reason only if the key of other before the apply is the key of a after the apply,
// which must be known. The parameter adopts is true if a imports or adopts an existing position assessment.
func (a attachment) rejectedBecauseOf(other attachment, adopts bool) string {
	actions := other.actions
	isForgotten := slices.Contains(actions, tfjson.ActionForget)
	isKept := !isForgotten && !slices.Contains(actions, tfjson.ActionDelete)
	switch {
	case other.before != a.after:
		return ""
	case isKept && other.address == a.address: // a is an import
		return ""
	case !slices.Contains(a.actions, tfjson.ActionCreate) && other.id != a.id: // an import of a duplicate (A31)
		return ""
	case isKept && other.imports:
		return "The plan also imports the assessment as " + codeSpan(other.address)
	case isKept:
		return "The position already has the assessment, as " + codeSpan(other.address) + ", and this plan keeps it"
	case adopts:
		return "" // other does not keep it
	case isForgotten:
		return "The assessment stays attached, because this plan only stops managing " + codeSpan(other.address)
	case actions.CreateBeforeDestroy() && other.address == a.address:
		return "The plan attaches the assessment again before it removes the old one (create_before_destroy)"
	}
	return ""
}

// moved returns moved blocks for those of the [plan.attachments] that seem to be renamed: the plan deletes exactly one
// with a key, and creates one with the same key at another address. If the plan creates several with this key, only the
// first has a block, because the CLI rejects two blocks from one address.
func (p plan) moved() string {
	all, blocks := p.attachments(), ""
	hasBlock := map[string]bool{} // by the address from which the object is moved
	for _, a := range all {
		removed := slices.DeleteFunc(slices.Clone(all), func(other attachment) bool {
			return other.before != a.after || !other.actions.Delete()
		})
		if !a.actions.Create() || a.after == "" || len(removed) != 1 || hasBlock[removed[0].address] {
			continue
		}
		from := removed[0].address
		hasBlock[from] = true
		blocks += "moved {\n  from = " + from + "\n  to   = " + a.address + "\n}\n"
	}
	return blocks
}
