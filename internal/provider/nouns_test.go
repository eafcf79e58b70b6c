// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// nounExample is the example of a resource, and the object of the demo organization that it imports.
type nounExample struct {
	text         string
	owner, parts fields // the first attribute of the identity, and all of them
}

var (
	importExample = regexp.MustCompile(`(?m)^# import: assess_\w+\.\w+, (.+)$`)
	importPart    = regexp.MustCompile(`(\w+) = "([^"]+)"`)
)

// nounExamples are the examples of all resources, by their names.
func nounExamples(t *testing.T) map[string]nounExample {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join("..", "..", "examples", "resources", "*", "resource.tf"))
	all := map[string]nounExample{}
	for _, file := range files {
		e := nounExample{text: clitest.ReadFile(t, file), parts: fields{}}
		for _, part := range importPart.FindAllStringSubmatch(importExample.FindString(e.text), -1) {
			e.parts[part[1]] = part[2]
			if e.owner == nil {
				e.owner = fields{part[1]: part[2]}
			}
		}
		all[filepath.Base(filepath.Dir(file))] = e
	}
	return all
}

// Each resource has an example and a list. The list contains what the example imports, and shows the same as an import.
func TestNouns(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := runOn(t, service)
	examples := nounExamples(t)
	for name := range w.schema.ResourceSchemas {
		f := w.list(query{name: name, config: examples[name].owner, include: true})
		if len(f.errors)+len(f.warnings) > 0 {
			t.Errorf("%s: %q, %q", name, f.errors, f.warnings)
		}
		assertImportable(t, service, name, f)
		if !slices.ContainsFunc(f.results, func(r tfprotov6.ListResourceResult) bool {
			state := w.decoded(r.Resource, w.typ(name))
			has := maps.Clone(state)
			maps.Copy(has, examples[name].parts)
			return reflect.DeepEqual(has, state)
		}) {
			t.Errorf("%s: the list does not contain what the example imports, but only %q", name, f.names())
		}
	}
	service.NoWrites(t)
}
