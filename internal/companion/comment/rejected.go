// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// attachment is a position assessment in a plan. A position has an assessment at most once, so position and assessment
// together are its key.
type attachment struct {
	*tfjson.ResourceChange
	before, after string // keys, or "" if there is none or it is not known
}

func (a attachment) creates() bool {
	return slices.Contains(a.Change.Actions, tfjson.ActionCreate) && a.after != ""
}

// attachments returns the position assessments of a plan, and position assessments of the state that the plan leaves
// out (-target) and that stay as they are. It returns none if the provider has aliases, because two organizations can
// use the same IDs.
func (p plan) attachments() (all []attachment) {
	if p.hasAliases() {
		return nil
	}
	planned := map[string]bool{}
	for _, c := range p.ResourceChanges {
		planned[c.Address] = true
		if c.Type == positionAssessment && c.Mode != tfjson.DataResourceMode {
			all = append(all, attachment{c, keyOf(c.Change.Before), keyOf(c.Change.After)})
		}
	}
	for _, s := range stateResources(p.PriorState.Values) {
		if s.Type == positionAssessment && s.Mode != tfjson.DataResourceMode && !planned[s.Address] {
			kept := &tfjson.Change{Actions: tfjson.Actions{tfjson.ActionNoop}}
			all = append(all, attachment{&tfjson.ResourceChange{Address: s.Address, Change: kept}, keyOf(s.AttributeValues), ""})
		}
	}
	return all
}

// hasAliases reports whether the configuration has a provider block of this provider with an alias.
func (p plan) hasAliases() bool {
	for _, c := range p.Config.ProviderConfigs {
		if c != nil && c.Alias != "" && strings.HasSuffix(c.FullName, "/assess") {
			return true
		}
	}
	return false
}

// keyOf returns the key in the values of a position assessment, or "" if a part is not known.
func keyOf(v any) string {
	position, assessment := textAt(v, "position_id"), textAt(v, "assessment_id")
	if position == "" || assessment == "" {
		return ""
	}
	return position + "\x00" + assessment
}

// rejections returns why the apply certainly rejects creations, by address. The provider can only warn, because it sees
// one resource at a time. The texts are safe to print.
func (p plan) rejections() map[string]string {
	reasons := map[string]string{}
	all := p.attachments()
	created := map[string]string{} // the address of the first creation, by key
	for _, a := range all {
		if !a.creates() {
			continue
		}
		if first, twice := created[a.after]; twice {
			reasons[a.Address] = "The plan attaches it twice, because " + codeSpan(first) +
				" has the same position and assessment"
			continue
		}
		created[a.after] = a.Address
		for _, other := range all {
			if why := a.collides(other, p.adopted[a.Address]); other.before == a.after && why != "" {
				reasons[a.Address] = why
			}
		}
	}
	return reasons
}

// collides returns why a creation fails if another attachment has its key before the apply, or "" if it does not fail.
func (a attachment) collides(other attachment, adopts bool) string {
	switch actions := other.Change.Actions; {
	case !slices.Contains(actions, tfjson.ActionDelete) && !slices.Contains(actions, tfjson.ActionForget):
		if adopts {
			return "It would be at two addresses, because this plan keeps it at " + codeSpan(other.Address)
		}
		return "The position already has it, at " + codeSpan(other.Address) + ", which this plan keeps"
	case adopts: // takes what the other one leaves
	case slices.Contains(actions, tfjson.ActionForget):
		return "The service keeps " + codeSpan(other.Address) + ", which this plan only stops managing"
	case actions.CreateBeforeDestroy() && other.Address == a.Address:
		return "The old one is removed only after the new one is attached (create_before_destroy)"
	}
	return ""
}

// moved returns the moved blocks of renamed resources: the plan removes an address and creates another address with the
// same key.
func (p plan) moved() string {
	all, blocks := p.attachments(), ""
	for _, a := range all {
		from := slices.DeleteFunc(slices.Clone(all), func(other attachment) bool {
			return other.before != a.after || !other.Change.Actions.Delete()
		})
		if a.Change.Actions.Create() && a.creates() && len(from) == 1 {
			blocks += "moved {\n  from = " + from[0].Address + "\n  to   = " + a.Address + "\n}\n"
		}
	}
	return blocks
}
