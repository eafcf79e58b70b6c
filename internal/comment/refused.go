// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/messagecode"
)

// refusals decides which creations the apply certainly refuses, because the position has or gets the same assessment with
// the same settings. The provider can only warn, because it sees one resource at a time. Here the whole plan is known, so
// it is certain what stays.
type refusals struct {
	provider func(address string) string         // which configuration of the provider a resource uses
	changes  []*tfjson.ResourceChange            // of position assessments
	before   map[string][]*tfjson.ResourceChange // by content before the apply
	after    map[string][]*tfjson.ResourceChange // by content after the apply
	leftOut  map[string]string                   // addresses without a plan, as with -target, by content
	named    map[string][]string                 // import IDs in the warnings of the provider, by address of the creation
	adopted  map[string][]string
	why      map[string]string // the decisions, by address. "" is not refused
}

// refused returns the creations that the apply certainly refuses, by address, and why. The texts are safe to print.
func (p plan) refused(diagnostics []diagnostic) map[string]string {
	r := refusals{
		provider: p.providers(), adopted: p.adopted, named: map[string][]string{}, leftOut: map[string]string{},
		before: map[string][]*tfjson.ResourceChange{}, after: map[string][]*tfjson.ResourceChange{}, why: map[string]string{},
	}
	if p.errored { // parts of it are missing
		return r.why
	}
	planned := map[string]bool{}
	for _, c := range p.ResourceChanges {
		planned[c.Address] = true
		if c.Type == positionAssessment {
			r.changes = append(r.changes, c)
			r.before[r.contentBefore(c)] = append(r.before[r.contentBefore(c)], c)
			r.after[r.contentAfter(c)] = append(r.after[r.contentAfter(c)], c)
		}
	}
	for s := range resources(p.prior()) {
		if s.Type == positionAssessment && !planned[s.Address] {
			r.leftOut[r.content(s.Address, s.AttributeValues, nil)] = s.Address
		}
	}
	for _, d := range diagnostics {
		if d.warns(messagecode.AlreadyAttached) {
			r.named[d.Address] = append(r.named[d.Address], importIDs(d)...)
		}
	}
	for _, c := range r.changes {
		if slices.Contains(c.Change.Actions, tfjson.ActionCreate) {
			r.decide(c)
		}
	}
	maps.DeleteFunc(r.why, func(_, why string) bool { return why == "" })
	return r.why
}

// providers returns a function that says which configuration of the provider a resource uses, because two organizations
// can use the same IDs. It returns "" if this is not known.
func (p plan) providers() func(address string) string {
	keys := map[string]string{} // by address without instance keys
	configurations := map[string]bool{}
	var collect func(prefix string, m *tfjson.ConfigModule)
	collect = func(prefix string, m *tfjson.ConfigModule) {
		if m == nil {
			return
		}
		for _, r := range m.Resources {
			if r != nil && strings.HasPrefix(r.Type, "assess_") {
				keys[prefix+r.Address], configurations[r.ProviderConfigKey] = r.ProviderConfigKey, true
			}
		}
		for name, call := range m.ModuleCalls {
			if call != nil {
				collect(prefix+"module."+name+".", call.Module)
			}
		}
	}
	if p.Config != nil {
		collect("", p.Config.RootModule)
		for key, c := range p.Config.ProviderConfigs { // also one that only what the plan removes has used
			if c != nil && c.Alias != "" && strings.HasSuffix(c.FullName, "/assess") {
				configurations[key] = true
			}
		}
	}
	return func(address string) string {
		if len(configurations) <= 1 {
			return "the only one"
		}
		return keys[instanceKeys.ReplaceAllString(address, "")]
	}
}

var instanceKeys = regexp.MustCompile(`\["(?:[^"\\]|\\.)*"\]|\[\d+\]`)

// content returns what duplicates have in common, or "" if a part of it is not known. The service no longer returns a
// profile that a supervisor has completed.
func (r refusals) content(address string, v any, unknown any) string {
	values, _ := v.(map[string]any)
	parts := []any{r.provider(address)}
	if parts[0] == "" {
		return ""
	}
	for _, name := range append([]string{"position_id", "assessment_id"}, blocks...) {
		key := map[string]string{"packages": "ids", "benchmark": "id", "profile": "id", "tests": "ids"}[name]
		doubt, value := at(unknown, name), values[name]
		if marks, ok := doubt.(map[string]any); ok { // select is only how the provider finds the ids
			doubt = marks[key]
		}
		if marked(doubt) || key == "" && value == nil {
			return ""
		}
		switch {
		case name == "profile" && values["profile_status"] == completed:
			value = nil
		case key == "id":
			value = at(value, key)
		case key == "ids":
			ids := textsAt(value, key)
			slices.Sort(ids)
			value = ids
		}
		parts = append(parts, value)
	}
	text, _ := json.Marshal(parts) // strings and lists of strings
	return string(text)
}

func (r refusals) contentBefore(c *tfjson.ResourceChange) string {
	return r.content(c.Address, c.Change.Before, nil)
}

func (r refusals) contentAfter(c *tfjson.ResourceChange) string {
	return r.content(c.Address, c.Change.After, c.Change.AfterUnknown)
}

// importIDs returns the import IDs that a message quotes.
func importIDs(d diagnostic) (ids []string) {
	for _, text := range d.quoted() {
		if strings.Count(text, "/") == 1 && !strings.ContainsAny(text, " :") && !slices.Contains(ids, text) {
			ids = append(ids, text)
		}
	}
	return ids
}

// importID returns the import ID of an object.
func importID(v any) string {
	return url.PathEscape(textAt(v, "position_id")) + "/" + url.PathEscape(textAt(v, "id"))
}

// decide returns why the apply refuses a creation, or "".
func (r refusals) decide(c *tfjson.ResourceChange) string {
	if why, ok := r.why[c.Address]; ok {
		return why
	}
	r.why[c.Address] = "It waits for itself" // which refuses what it depends on, and so itself
	r.why[c.Address] = r.reason(c)
	return r.why[c.Address]
}

func (r refusals) reason(c *tfjson.ResourceChange) string {
	content := r.contentAfter(c)
	if content == "" {
		return ""
	}
	_, adopts := r.adopted[c.Address]
	same, foreign := r.equals(c)
	switch address, ok := r.leftOut[content]; {
	case ok:
		return "The position has the same already, at " + code(address) + ", which this plan leaves out"
	case len(foreign) > 1:
		return "The position has the same already, more than once: " + codes(foreign)
	case len(foreign) == 1 && !adopts:
		return "The position has the same already, which this plan neither imports nor removes: " + codes(foreign)
	}
	for _, d := range append(same, r.before[content]...) {
		if why := r.keeps(c, d, adopts); why != "" {
			return why
		}
	}
	for _, d := range r.after[content] {
		first := slices.Index(r.changes, d) < slices.Index(r.changes, c)
		if d.Address != c.Address && (first || !slices.Contains(d.Change.Actions, tfjson.ActionCreate)) {
			return "The position gets the same twice, because " + code(d.Address) + " is the same"
		}
	}
	return ""
}

// equals returns what the position of a creation has according to the messages of the provider: changes of this plan, and
// the import IDs of what this plan does not contain.
func (r refusals) equals(c *tfjson.ResourceChange) (known []*tfjson.ResourceChange, foreign []string) {
	for _, id := range slices.Concat(r.named[c.Address], r.adopted[c.Address]) {
		if scope, _, _ := strings.Cut(id, "/"); scope != url.PathEscape(textAt(c.Change.After, "position_id")) {
			continue
		}
		found := false
		for _, d := range r.changes {
			if importID(d.Change.Before) == id {
				known, found = append(known, d), true
			}
		}
		if !found {
			foreign = append(foreign, id)
		}
	}
	return known, foreign
}

// keeps returns why an object is still there when the apply gives up waiting for it to leave, or "".
func (r refusals) keeps(c, d *tfjson.ResourceChange, adopts bool) string {
	switch actions := d.Change.Actions; {
	case !changes(d.Change), actions.Update() && r.contentBefore(d) == r.contentAfter(d):
		return "The position has the same already, at " + code(d.Address) + ", which this plan keeps"
	case adopts: // the apply takes it over
	case slices.Contains(actions, tfjson.ActionForget):
		return "The service keeps the same, which this plan only stops managing at " + code(d.Address)
	case actions.CreateBeforeDestroy() && d.Address == c.Address:
		return "The old one is removed only after the new one is attached, because of create_before_destroy"
	case actions.CreateBeforeDestroy() && r.decide(d) != "":
		return "The same at " + code(d.Address) + " is not removed, because the apply refuses its replacement"
	}
	return ""
}
