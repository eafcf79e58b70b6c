// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// planNames finds names by kind and id. It knows what the data sources of a plan have read.
type planNames struct {
	byID     map[string]string // by "KIND ID", or "" if one id has two names
	twoSided map[string]bool   // ids of assessments that have profiles
	// stored are the values of the objects of the state, by address. If the plan could not read a
	// data source, they are those of the last apply.
	stored map[string]map[string]any
	// sensitive are the texts in changes that a plan marks as sensitive. The plan shows none of them to readers either.
	sensitive map[string]bool
}

func namesOf(p plan) planNames {
	n := planNames{map[string]string{}, map[string]bool{}, map[string]map[string]any{}, map[string]bool{}}
	for _, r := range append(stateResources(p.PriorState.Values), stateResources(p.PlannedValues)...) {
		if n.stored[r.Address] == nil {
			n.stored[r.Address] = r.AttributeValues
		}
		if r.Mode == tfjson.DataResourceMode {
			n.read(strings.TrimPrefix(r.Type, "assess_"), r.AttributeValues)
		}
	}
	for _, c := range slices.Concat(p.ResourceChanges, p.ResourceDrift) {
		n.conceal(c.Change.Before, c.Change.BeforeSensitive)
		n.conceal(c.Change.After, c.Change.AfterSensitive)
	}
	return n
}

// conceal adds the texts in the sensitive parts of a value, which a plan marks with true, in the same shape.
func (n planNames) conceal(v, sensitive any) {
	switch v := v.(type) {
	case string:
		if sensitive == true && v != "" {
			n.sensitive[v] = true
		}
	case map[string]any:
		for name, part := range v {
			n.conceal(part, markOf(sensitive, at(sensitive, name)))
		}
	case []any:
		marks, _ := sensitive.([]any)
		for i, part := range v {
			var mark any
			if i < len(marks) {
				mark = marks[i]
			}
			n.conceal(part, markOf(sensitive, mark))
		}
	}
}

// markOf returns the mark of a part of a value: everything in a sensitive value is sensitive.
func markOf(whole, part any) any {
	if whole == true {
		return true
	}
	return part
}

// read adds the names that a data source has read.
func (n planNames) read(dataSource string, values any) {
	if dataSource == "assessment_options" {
		for _, attribute := range []string{"packages", "benchmarks", "profiles", "skills_tests", "disabled_skills_tests"} {
			kind := strings.TrimSuffix(attribute[strings.LastIndex(attribute, "_")+1:], "s")
			byName, _ := at(values, attribute).(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(byName)) {
				n.add(kind, textAt(byName, name), name)
			}
		}
		if slices.Contains(textsAt(values, "blocks"), "profile") {
			n.twoSided[textAt(values, "assessment_id")] = true
		}
	}
	list := strings.TrimPrefix(dataSource, "skills_")
	kind := strings.TrimSuffix(list, "s")
	if !slices.Contains([]string{"assessment", "benchmark", "package", "position", "profile", "test"}, kind) {
		return
	}
	objects := []any{values}
	if list != kind {
		objects, _ = at(values, list).([]any)
	}
	for _, object := range objects {
		n.add(kind, textAt(object, "id"), textAt(object, "name")+textAt(object, "title"))
	}
}

// add ignores an object without an id or a name. If one id has two names, neither is used.
func (n planNames) add(kind, id, name string) {
	if id == "" || name == "" {
		return
	}
	key := kind + " " + id
	if old, ok := n.byID[key]; ok && old != name {
		name = ""
	}
	n.byID[key] = name
}

// of returns the name of an object, or its id.
func (n planNames) of(kind, id string) string {
	return cmp.Or(n.name(kind, id), n.id(id))
}

// name returns the name of an object, or "".
func (n planNames) name(kind, id string) string {
	if n.sensitive[id] {
		return ""
	}
	return n.byID[kind+" "+id]
}

// id returns an id as readers may see it.
func (n planNames) id(id string) string {
	if n.sensitive[id] {
		return "(sensitive)"
	}
	return id
}
