// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// names finds names by kind and id. It knows what the data sources of a plan have read.
type names struct {
	byKind   map[string]map[string]string
	twoSided map[string]bool // ids of assessments that have profiles
	// stored are the values of the objects of the state, by address. If the plan could not read a
	// data source, they are those of the last apply.
	stored  map[string]any
	address *regexp.Regexp
}

// listedBy returns which kind of object a data source reads, and the attribute that lists them. The
// kind is "" for other data sources.
func listedBy(dataSource string) (kind, list string) {
	name := strings.TrimPrefix(dataSource, "assess_")
	kind = strings.TrimPrefix(strings.TrimSuffix(name, "s"), "skills_")
	if !slices.Contains([]string{"assessment", "benchmark", "package", "position", "profile", "test"}, kind) {
		return "", ""
	}
	if strings.HasSuffix(name, "s") {
		list = kind + "s"
	}
	return kind, list
}

// optionMaps are the maps from names to ids of the data source assess_assessment_options.
var optionMaps = []string{"packages", "benchmarks", "profiles", "skills_tests", "disabled_skills_tests"}

func namesOf(p plan) names {
	n := names{map[string]map[string]string{}, map[string]bool{}, map[string]any{}, regexp.MustCompile(addressPattern)}
	n.walk(p.PriorState.Values.RootModule)
	n.walk(p.PlannedValues.RootModule)
	return n
}

func (n names) walk(m module) {
	for _, r := range m.Resources {
		if n.stored[r.Address] == nil {
			n.stored[r.Address] = r.Values
		}
		if r.Mode != "data" {
			continue
		}
		if r.Type == "assess_assessment_options" {
			for _, attribute := range optionMaps {
				kind := strings.TrimSuffix(attribute[strings.LastIndex(attribute, "_")+1:], "s")
				byName, _ := at(r.Values, attribute).(map[string]any)
				for _, name := range slices.Sorted(maps.Keys(byName)) {
					n.add(kind, textAt(byName, name), name)
				}
			}
			if slices.Contains(textsAt(r.Values, "blocks"), "profile") {
				n.twoSided[textAt(r.Values, "assessment_id")] = true
			}
		}
		kind, list := listedBy(r.Type)
		if kind == "" {
			continue
		}
		objects := []any{r.Values}
		if list != "" {
			objects, _ = at(r.Values, list).([]any)
		}
		for _, object := range objects {
			n.add(kind, textAt(object, "id"), textAt(object, "name")+textAt(object, "title"))
		}
	}
	for _, child := range m.ChildModules {
		n.walk(child)
	}
}

// add ignores an object without an id or a name. If one id has two names, neither is used.
func (n names) add(kind, id, name string) {
	if id == "" || name == "" {
		return
	}
	if n.byKind[kind] == nil {
		n.byKind[kind] = map[string]string{}
	}
	if old, ok := n.byKind[kind][id]; ok && old != name {
		name = ""
	}
	n.byKind[kind][id] = name
}

// of returns the name of an object, or its id.
func (n names) of(kind, id string) string {
	if name := n.byKind[kind][id]; name != "" {
		return name
	}
	return id
}

// all returns the names of objects, sorted.
func (n names) all(kind string, ids []string) []string {
	found := make([]string, len(ids))
	for i, id := range ids {
		found[i] = n.of(kind, id)
	}
	slices.Sort(found)
	return found
}

// unchanged reports whether an error is about a data source that the last apply could read with the
// same argument, which the message quotes first. Then the service has changed, not the repository.
func (n names) unchanged(d diagnostic) bool {
	first := strings.Index(d.Detail, `"`)
	values, _ := n.stored[d.Address].(map[string]any)
	for _, v := range values {
		if text, ok := v.(string); ok && first >= 0 && strings.HasPrefix(d.Detail[first:], strconv.Quote(text)) {
			return strings.Contains("."+d.Address, ".data.")
		}
	}
	return false
}
