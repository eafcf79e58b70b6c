// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// planNames finds the names of objects by kind and ID. The names are those that the data sources of a plan have read.
type planNames struct {
	byID     map[string]string         // names by "KIND ID". The name is "" if the ID has two names
	twoSided map[string]bool           // ids of assessments that have profiles
	stored   map[string]map[string]any // values of objects before the apply, by address
	// sensitive contains the texts of resources and data sources that are marked as sensitive. Terraform does not show
	// them in a plan, so the comment must not show them.
	sensitive map[string]bool
}

// namesOf returns the names that the data sources of a plan have read, with the values of objects before the apply, and
// the sensitive texts of resources and data sources.
func namesOf(p plan) planNames {
	n := planNames{
		byID: map[string]string{}, twoSided: map[string]bool{},
		stored: map[string]map[string]any{}, sensitive: map[string]bool{},
	}
	for _, r := range stateResources(p.PriorState.Values) { // also contains the data sources that the plan has read
		if r.DeposedKey == "" { // a deposed object has the address of the current object
			n.stored[r.Address] = r.AttributeValues
		}
		if r.Mode == tfjson.DataResourceMode && strings.HasPrefix(r.Type, "assess_") {
			n.read(r.Type, r.AttributeValues)
		}
		var marks any // nil if there are none
		_ = json.Unmarshal(r.SensitiveValues, &marks)
		hideSensitive(r.AttributeValues, marks, n.conceal)
	}
	for _, c := range slices.Concat(p.ResourceChanges, p.ResourceDrift) { // only the calls of conceal matter here
		hideSensitive(c.Change.Before, c.Change.BeforeSensitive, n.conceal)
		hideSensitive(c.Change.After, c.Change.AfterSensitive, n.conceal)
	}
	return n
}

// conceal marks all texts in a value as sensitive, except the empty text.
func (n planNames) conceal(v any) {
	switch v := v.(type) {
	case string:
		n.sensitive[v] = v != ""
	case map[string]any:
		for _, part := range v {
			n.conceal(part)
		}
	case []any:
		for _, part := range v {
			n.conceal(part)
		}
	}
}

// read adds the names that a data source of this provider has read. The parameter dataSource is its type. The values
// are one object, or contain a list of objects in an attribute that is named like the type, such as positions in
// assess_positions and tests in assess_skills_tests. Data sources of position assessments and results add no names.
func (n planNames) read(dataSource string, values any) {
	if dataSource == "assess_assessment_options" { // its values are maps
		n.readOptions(values)
		return
	}
	attribute := strings.TrimPrefix(strings.TrimPrefix(dataSource, "assess_"), "skills_")
	objects, isList := at(values, attribute).([]any)
	if !isList {
		objects = []any{values}
	}
	for _, object := range objects {
		name := cmp.Or(textAt(object, "name"), textAt(object, "title"))
		n.add(strings.TrimSuffix(attribute, "s"), textAt(object, "id"), name)
	}
}

// readOptions adds the names of the options of an assessment, which the data source returns as maps from name to ID. If
// the assessment has profiles, readOptions also adds its ID to twoSided.
func (n planNames) readOptions(values any) {
	for attribute, kind := range map[string]string{
		"packages": "package", "benchmarks": "benchmark", "profiles": "profile", "skills_tests": "test",
		"disabled_skills_tests": "test",
	} {
		byName, _ := at(values, attribute).(map[string]any)
		for name := range byName {
			n.add(kind, textAt(byName, name), name)
		}
	}
	listsProfiles := at(values, "profiles") != nil // if the service does not list them, blocks always contains profile
	if listsProfiles && slices.Contains(textsAt(values, "blocks"), "profile") {
		n.twoSided[textAt(values, "assessment_id")] = true
	}
}

// add adds the name of an object. It ignores an object without an ID or a name. If one ID has two names, neither name
// is used.
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

// ofAll returns the name of each object of a kind, or its ID if it has no name. It sorts them.
func (n planNames) ofAll(kind string, ids []string) (names []string) {
	for _, id := range ids {
		names = append(names, cmp.Or(n.name(kind, id), n.id(id)))
	}
	slices.Sort(names)
	return names
}

// hasNames reports whether all objects of a kind with these ids have names.
func (n planNames) hasNames(kind string, ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return n.name(kind, id) == "" })
}

// name returns the name of an object. It returns "" if the name is not known, or if the plan marks the name or the ID
// as sensitive.
func (n planNames) name(kind, id string) string {
	name := n.byID[kind+" "+id]
	if n.sensitive[id] || n.sensitive[name] {
		return ""
	}
	return name
}

// id returns the ID, or "(sensitive)" if the plan marks the ID as sensitive.
func (n planNames) id(id string) string {
	if n.sensitive[id] {
		return "(sensitive)"
	}
	return id
}

// ids returns each ID as [planNames.id] shows it.
func (n planNames) ids(ids []string) (shown []string) {
	for _, id := range ids {
		shown = append(shown, n.id(id))
	}
	return shown
}

// addressPattern matches the end of a resource address. Its groups are the innermost module's key, the resource type
// and the instance's key. Keys that are strings are quoted, as in the CLIs' output.
var addressPattern = regexp.MustCompile(
	`(?:\[("(?:[^"\\]|\\.)*")\]\.)?(?:(?:data|ephemeral)\.)?(\w+)\.[\p{L}\p{M}\p{N}_-]+(?:\[("(?:[^"\\]|\\.)*"|\d+)\])?$`)

// parseAddress returns the key of the innermost module, the type and the key of the instance in an address. A key is ""
// if the address has none, or if the key is a number.
func parseAddress(address string) (module, kind, index string) {
	if parts := addressPattern.FindStringSubmatch(address); parts != nil {
		return unquote(parts[1]), parts[2], unquote(parts[3])
	}
	return "", "", ""
}

func unquote(key string) string {
	text, err := strconv.Unquote(key)
	if err != nil {
		return ""
	}
	return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(text)
}
