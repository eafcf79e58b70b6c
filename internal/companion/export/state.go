// SPDX-License-Identifier: MPL-2.0

package export

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
)

// managed is what a state manages.
type managed struct {
	ids   map[attributes]bool
	names map[string]bool // names and instance keys of the resources, which an export must not use again
}

func (m managed) has(position, id string) bool { return m.ids[attributes{position, id}] }

// assessments returns the assessments of a position that the state manages. The keys are assessment IDs, and each value
// is "in the state", for [organization.notes].
func (m managed) assessments(p positionContents) map[string]string {
	where := map[string]string{}
	for _, a := range p.attached {
		if m.has(p.ID, a.ID) {
			where[a.AssessmentID.OrZero()] = "in the state"
		}
	}
	return where
}

// resource is a resource in a state. "terraform show -json" lists each instance as a resource with Index and Values.
// "terraform state pull" lists a resource once, with all its Instances.
type resource struct {
	Mode      string          `json:"mode"`
	Type      string          `json:"type"`
	Name      string          `json:"name"`
	Index     json.RawMessage `json:"index"`
	Values    json.RawMessage `json:"values"`
	Instances []struct {
		Index      json.RawMessage `json:"index_key"`
		Attributes json.RawMessage `json:"attributes"`
	} `json:"instances"`
}

// attributes are the attributes of a position assessment that identify it.
type attributes struct {
	Position string `json:"position_id"`
	ID       string `json:"id"`
}

// module is a module of "terraform show -json".
type module struct {
	Resources []resource `json:"resources"`
	Children  []module   `json:"child_modules"`
}

// readState reads which position assessments a state manages, from the output of "terraform show -json" or "terraform
// state pull". If path is "", the result is empty. The error says why the file cannot be used.
func readState(path string) (managed, error) {
	m := managed{map[attributes]bool{}, map[string]bool{}}
	if path == "" {
		return m, nil
	}
	text, err := cmdutil.ReadText(path)
	if err != nil {
		return m, err
	}
	var state struct {
		Version       int        `json:"version"`        // of "state pull"
		FormatVersion string     `json:"format_version"` // of "show -json"
		Planned       any        `json:"planned_values"` // of "show -json" for a plan
		Resources     []resource `json:"resources"`      // of "state pull"
		Values        struct {
			Root module `json:"root_module"`
		} `json:"values"`
	}
	err = json.Unmarshal(text, &state)
	switch {
	case err != nil && !json.Valid(text):
		return m, fmt.Errorf("it is not JSON: %w", err)
	case err != nil || state.Version != 4 && state.FormatVersion == "" || state.Planned != nil:
		return m, errors.New("it is no state from \"terraform show -json\" or \"terraform state pull\"")
	}
	for _, r := range state.Resources {
		for _, i := range r.Instances {
			m.add(r, i.Index, i.Attributes)
		}
	}
	m.addAll(state.Values.Root)
	return m, nil
}

// addAll adds what a module and its children manage.
func (m managed) addAll(in module) {
	for _, r := range in.Resources {
		m.add(r, r.Index, r.Values)
	}
	for _, child := range in.Children {
		m.addAll(child)
	}
}

// add adds an instance of a resource if it manages a position assessment. index is the instance key. If the key is a
// string, add also adds it to m.names.
func (m managed) add(r resource, index, values json.RawMessage) {
	var a attributes
	if r.Mode != "managed" || r.Type != "assess_position_assessment" || json.Unmarshal(values, &a) != nil {
		return
	}
	m.ids[a] = true
	m.names[r.Name] = true
	var key string
	if json.Unmarshal(index, &key) == nil {
		m.names[key] = true
	}
}
