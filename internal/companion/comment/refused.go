// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/messagecode"
)

// attachment is a position assessment in a plan.
type attachment struct {
	*tfjson.ResourceChange
	before, after string   // what it has in common with a duplicate, or ""
	id            string   // import ID before the apply
	named         []string // import IDs of what its position has, in a warning of the provider
	adopts        bool     // whether it takes over what its position has
	decided       bool     // whether why has been set
	why           string   // why the apply refuses to create it, or ""
}

// refused returns why the apply certainly refuses creations, by address. The provider can only warn, because it sees
// one resource at a time. Here the whole plan is known, so it is certain what stays. The texts are safe to print.
func (p plan) refused(planned events) map[string]string {
	refused := map[string]string{}
	named := planned.named(messagecode.AlreadyAttached, messagecode.AttachedOften, messagecode.WillBeAdopted,
		messagecode.WillNotBeAdopted)
	changes := slices.Clone(p.ResourceChanges)
	for _, s := range stateResources(p.PriorState.Values) { // -target leaves resources out, which stay as they are
		if !slices.ContainsFunc(changes, func(c *tfjson.ResourceChange) bool { return c.Address == s.Address }) {
			kept := tfjson.Change{Actions: tfjson.Actions{tfjson.ActionNoop}, Before: s.AttributeValues}
			changes = append(changes, &tfjson.ResourceChange{Address: s.Address, Mode: s.Mode, Type: s.Type, Change: &kept})
		}
	}
	isAlias := func(c *tfjson.ProviderConfig) bool { return c.Alias != "" && strings.HasSuffix(c.FullName, "/assess") }
	several := slices.ContainsFunc(slices.Collect(maps.Values(p.Config.ProviderConfigs)), isAlias)
	var all []*attachment
	for _, c := range changes {
		if c.Type != positionAssessment || c.Mode == tfjson.DataResourceMode {
			continue
		}
		organization := ""
		if several { // two organizations can use the same IDs, so only the provider knows what is equal
			organization = c.Address
		}
		a := &attachment{
			ResourceChange: c, id: importID(c.Change.Before),
			before: duplicateKey(organization, c.Change.Before, nil),
			after:  duplicateKey(organization, c.Change.After, c.Change.AfterUnknown),
		}
		_, a.adopts = p.adopted[c.Address]
		position := url.PathEscape(textAt(c.Change.After, "position_id")) + "/"
		for _, id := range named[c.Address] {
			if strings.HasPrefix(id, position) { // a title can contain a slash, too
				a.named = append(a.named, id)
			}
		}
		all = append(all, a)
	}
	for _, a := range all {
		if why := a.refusal(all); why != "" {
			refused[a.Address] = why
		}
	}
	return refused
}

// duplicateKey returns what duplicates in an organization have in common, or "" if a part of it is not known.
func duplicateKey(organization string, v, unknown any) string {
	parts := []any{organization, at(v, "position_id"), at(v, "assessment_id")}
	if slices.Contains(parts, nil) { // not known
		return ""
	}
	for _, block := range blocks {
		if !knowsIDs(block.name, unknown) {
			return ""
		}
		ids := slices.Sorted(slices.Values(idsIn(block.name, v)))
		if block.name == "profile" && textAt(v, "profile_status") == completed {
			ids = nil // the service no longer returns it
		}
		parts = append(parts, ids)
	}
	text, _ := json.Marshal(parts) // strings and lists of strings
	return string(text)
}

func importID(v any) string {
	return url.PathEscape(textAt(v, "position_id")) + "/" + url.PathEscape(textAt(v, "id"))
}

// refusal returns why the apply refuses to create an attachment, or "".
func (a *attachment) refusal(all []*attachment) string {
	if a.decided || a.after == "" || !slices.Contains(a.Change.Actions, tfjson.ActionCreate) {
		return a.why
	}
	a.decided, a.why = true, "It waits for itself" // which refuses what it depends on, and so itself
	a.why = a.decide(all)
	return a.why
}

func (a *attachment) decide(all []*attachment) string {
	unmanaged, earlier := slices.Clone(a.named), true
	for _, other := range all {
		unmanaged = slices.DeleteFunc(unmanaged, func(id string) bool { return id == other.id })
		if slices.Contains(a.named, other.id) || other.before == a.after {
			if why := a.waits(other, all); why != "" {
				return why
			}
		}
		earlier = earlier && other != a
		creates := slices.Contains(other.Change.Actions, tfjson.ActionCreate)
		if other.Address != a.Address && other.after == a.after && (earlier || !creates) {
			return "The position gets it twice, because " + codeSpan(other.Address) + " is the same"
		}
	}
	switch {
	case len(unmanaged) > 1:
		return "The position already has it, more than once: " + codeSpans(unmanaged)
	case len(unmanaged) == 1 && !a.adopts:
		return "The position already has it, and this plan neither imports nor removes it: " + codeSpans(unmanaged)
	}
	return ""
}

// waits returns why an equal attachment still exists when the apply stops waiting for its removal, or "".
func (a *attachment) waits(other *attachment, all []*attachment) string {
	switch actions := other.Change.Actions; {
	case !isChange(other.Change), actions.Update() && other.before == other.after:
		return "The position already has it, at " + codeSpan(other.Address) + ", which this plan keeps"
	case a.adopts: // the apply takes it over
	case slices.Contains(actions, tfjson.ActionForget):
		return "The service keeps " + codeSpan(other.Address) + ", which this plan only stops managing"
	case actions.CreateBeforeDestroy() && other.Address == a.Address:
		return "The old one is removed only after the new one is attached (create_before_destroy)"
	case actions.CreateBeforeDestroy() && other.refusal(all) != "":
		return "The one at " + codeSpan(other.Address) + " is removed only after its replacement is attached " +
			"(create_before_destroy), which the apply refuses"
	}
	return ""
}
