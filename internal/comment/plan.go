// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// plan contains what this package uses from the output of "tofu show -json".
type plan struct {
	FormatVersion     string             `json:"format_version"`
	Errored           bool               `json:"errored"`
	ResourceChanges   []resourceChange   `json:"resource_changes"`
	ResourceDrift     []resourceChange   `json:"resource_drift"`
	DeferredChanges   []any              `json:"deferred_changes"` // that the CLI leaves to a later plan
	OutputChanges     map[string]change  `json:"output_changes"`
	ActionInvocations []actionInvocation `json:"action_invocations"`
	PlannedValues     struct {
		RootModule module `json:"root_module"`
	} `json:"planned_values"`
	PriorState struct {
		Values struct {
			RootModule module `json:"root_module"`
		} `json:"values"`
	} `json:"prior_state"`
	Checks []check `json:"checks"`

	// adopted are creations that take over an existing position assessment, by address, with the
	// warning that says which. Only the messages of a plan show that.
	adopted map[string]string
}

type module struct {
	Resources []struct {
		Address string `json:"address"`
		Mode    string `json:"mode"`
		Type    string `json:"type"`
		Values  any    `json:"values"`
	} `json:"resources"`
	ChildModules []module `json:"child_modules"`
}

type resourceChange struct {
	Address         string `json:"address"`
	PreviousAddress string `json:"previous_address"`
	Mode            string `json:"mode"`
	Type            string `json:"type"`
	Index           any    `json:"index"`
	Deposed         string `json:"deposed"`
	ActionReason    string `json:"action_reason"`
	Change          change `json:"change"`
}

type change struct {
	Actions         []string `json:"actions"`
	Before          any      `json:"before"`
	After           any      `json:"after"`
	AfterUnknown    any      `json:"after_unknown"`
	BeforeSensitive any      `json:"before_sensitive"`
	AfterSensitive  any      `json:"after_sensitive"`
	ReplacePaths    [][]any  `json:"replace_paths"`
	Importing       any      `json:"importing"`
}

// object returns the object after the change, or the one that is removed.
func (c change) object() any {
	if c.After == nil {
		return c.Before
	}
	return c.After
}

type actionInvocation struct {
	Address         string `json:"address"`
	ConfigValues    any    `json:"config_values"`
	ConfigSensitive any    `json:"config_sensitive"`
	ConfigUnknown   any    `json:"config_unknown"`
	Lifecycle       struct {
		Resource string `json:"triggering_resource_address"`
		Event    string `json:"action_trigger_event"`
	} `json:"lifecycle_action_trigger"`
}

// decodePlan reads the output of "tofu show -json" for a plan.
func decodePlan(text []byte) (plan, error) {
	var p plan
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber() // two large numbers can be the same float64
	err := numbers.Decode(&p)
	if err == nil && (p.FormatVersion == "" || numbers.More()) {
		err = errors.New("not a plan")
	}
	return p, err
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

// adopted returns the warnings about creations that take over an existing position assessment, by address.
func (e events) adopted() map[string]string {
	found := map[string]string{}
	for _, d := range e.diagnostics {
		if d.adopts() {
			found[d.Address] = d.Detail
		}
	}
	return found
}

func (d diagnostic) adopts() bool {
	return d.Severity == "warning" && strings.Contains(d.Detail, "adopt_existing is set")
}

// explain is true if an error of the CLI or the provider explains the failure.
func (e events) explain() bool {
	return slices.ContainsFunc(e.diagnostics, func(d diagnostic) bool { return d.Severity == "error" })
}

// readEvents reads one JSON object per line, and ignores other lines.
func readEvents(text []byte) events {
	e := events{completed: map[string]int{}, failed: map[string]bool{}}
	for line := range bytes.Lines(text) {
		var event struct {
			Type       string     `json:"type"`
			Diagnostic diagnostic `json:"diagnostic"`
			Hook       any        `json:"hook"`
		}
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		switch address := textAt(event.Hook, "resource", "addr"); event.Type {
		case "diagnostic":
			e.diagnostics = append(e.diagnostics, event.Diagnostic)
		case "apply_complete":
			e.completed[address]++
		case "apply_errored":
			e.failed[address] = true
		}
	}
	return e
}
