package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// plan contains what this program uses from the output of "tofu show -json".
type plan struct {
	FormatVersion   string            `json:"format_version"`
	Errored         bool              `json:"errored"`
	ResourceChanges []resourceChange  `json:"resource_changes"`
	OutputChanges   map[string]values `json:"output_changes"`
	PlannedValues   struct {
		RootModule module `json:"root_module"`
	} `json:"planned_values"`
	PriorState struct {
		Values struct {
			RootModule module `json:"root_module"`
		} `json:"values"`
	} `json:"prior_state"`
	Checks []struct {
		Status  string `json:"status"`
		Address struct {
			Name string `json:"name"`
		} `json:"address"`
	} `json:"checks"`
}

type resourceChange struct {
	Address         string `json:"address"`
	PreviousAddress string `json:"previous_address"`
	ModuleAddress   string `json:"module_address"`
	Mode            string `json:"mode"`
	Type            string `json:"type"`
	Index           any    `json:"index"`
	ActionReason    string `json:"action_reason"`
	Change          change `json:"change"`
}

type change struct {
	Actions      []string        `json:"actions"`
	Before       values          `json:"before"`
	After        values          `json:"after"`
	AfterUnknown values          `json:"after_unknown"`
	ReplacePaths [][]any         `json:"replace_paths"`
	Importing    json.RawMessage `json:"importing"`
}

// values is a JSON object of any shape. Other JSON values, such as null, become an empty one.
type values map[string]any

func (v *values) UnmarshalJSON(text []byte) error {
	*v = nil
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return json.Unmarshal(text, (*map[string]any)(v))
	}
	return nil
}

// text returns a string, or "" if there is none.
func (v values) text(path ...string) string {
	for _, name := range path[:len(path)-1] {
		inner, _ := v[name].(map[string]any)
		v = inner
	}
	s, _ := v[path[len(path)-1]].(string)
	return s
}

// list returns a list of strings, sorted.
func (v values) list(path ...string) []string {
	for _, name := range path[:len(path)-1] {
		inner, _ := v[name].(map[string]any)
		v = inner
	}
	items, _ := v[path[len(path)-1]].([]any)
	texts := []string{}
	for _, item := range items {
		if s, ok := item.(string); ok {
			texts = append(texts, s)
		}
	}
	slices.Sort(texts)
	return texts
}

type module struct {
	Resources []struct {
		Mode   string `json:"mode"`
		Type   string `json:"type"`
		Values values `json:"values"`
	} `json:"resources"`
	ChildModules []module `json:"child_modules"`
}

// names finds names by kind and id. It knows what the data sources of a plan have read.
type names struct {
	byKind   map[string]map[string]string
	twoSided map[string]bool // ids of assessments that have profiles
}

// listed says which kind of object a data source reads, and the attribute that lists them.
var listed = map[string]struct{ kind, list string }{
	"assess_assessment":   {kind: "assessment"},
	"assess_assessments":  {"assessment", "assessments"},
	"assess_benchmark":    {kind: "benchmark"},
	"assess_benchmarks":   {"benchmark", "benchmarks"},
	"assess_package":      {kind: "package"},
	"assess_packages":     {"package", "packages"},
	"assess_position":     {kind: "position"},
	"assess_positions":    {"position", "positions"},
	"assess_profile":      {kind: "profile"},
	"assess_profiles":     {"profile", "profiles"},
	"assess_skills_test":  {kind: "test"},
	"assess_skills_tests": {"test", "tests"},
}

// optionMaps are the maps from names to ids of the data source assess_assessment_options.
var optionMaps = map[string]string{
	"packages": "package", "benchmarks": "benchmark", "profiles": "profile",
	"skills_tests": "test", "disabled_skills_tests": "test",
}

func namesOf(p plan) names {
	n := names{map[string]map[string]string{}, map[string]bool{}}
	n.walk(p.PriorState.Values.RootModule)
	n.walk(p.PlannedValues.RootModule)
	return n
}

func (n names) walk(m module) {
	for _, r := range m.Resources {
		if r.Mode != "data" {
			continue
		}
		if r.Type == "assess_assessment_options" {
			for attribute, kind := range optionMaps {
				byName, _ := r.Values[attribute].(map[string]any)
				for _, name := range slices.Sorted(maps.Keys(byName)) {
					n.add(kind, values(byName).text(name), name)
				}
			}
			if slices.Contains(r.Values.list("blocks"), "profile") {
				n.twoSided[r.Values.text("assessment_id")] = true
			}
		}
		at, ok := listed[r.Type]
		if !ok {
			continue
		}
		objects := []any{map[string]any(r.Values)}
		if at.list != "" {
			objects, _ = r.Values[at.list].([]any)
		}
		for _, object := range objects {
			v, _ := object.(map[string]any)
			n.add(at.kind, values(v).text("id"), values(v).text("name")+values(v).text("title"))
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

// diagnostic is an error or a warning of the CLI.
type diagnostic struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Address  string `json:"address"`
}

// events are what a run with -json reports.
type events struct {
	diagnostics []diagnostic
	completed   map[string]int // number of completed steps, by address. A replacement has two
	failed      map[string]bool
}

// explain is true if an error of the CLI or the provider explains the failure.
func (e events) explain() bool {
	return slices.ContainsFunc(e.diagnostics, func(d diagnostic) bool { return d.Severity == "error" })
}

// readEvents reads one JSON object per line, and ignores other lines.
func readEvents(text []byte) events {
	e := events{completed: map[string]int{}, failed: map[string]bool{}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var event struct {
			Type       string     `json:"type"`
			Diagnostic diagnostic `json:"diagnostic"`
			Hook       struct {
				Resource struct {
					Address string `json:"addr"`
				} `json:"resource"`
			} `json:"hook"`
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue
		}
		switch address := event.Hook.Resource.Address; event.Type {
		case "diagnostic":
			// This warning only says that a check runs during the apply.
			if event.Diagnostic.Summary != "Check block assertion known after apply" {
				e.diagnostics = append(e.diagnostics, event.Diagnostic)
			}
		case "apply_complete":
			e.completed[address]++
		case "apply_errored":
			e.failed[address] = true
		}
	}
	return e
}
