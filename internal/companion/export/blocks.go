// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"errors"
	"net/http"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// block is a block of a configuration, and a column of a spreadsheet.
type block struct {
	name     string         // also the key of metadata
	argument string         // ids or id
	kind     assessapi.Kind // kind of the items that the block can contain. Empty for tests
}

// blocks are all blocks, in the order of the columns.
var blocks = []block{
	{"packages", "ids", assessapi.Packages},
	{"benchmark", "id", assessapi.Benchmarks},
	{"profile", "id", assessapi.Profiles},
	{"tests", "ids", assessapi.Kind{}},
}

// names returns the names of what the block can contain for an assessment, by ID. It omits tests that are not enabled.
func (b block) names(ctx context.Context, service *run.Run, assessment string) (map[string]string, error) {
	if b.name == "tests" {
		tests, err := service.Lists.SkillsTests(ctx, assessment, true)
		return uniqueNames(tests), err
	}
	items, err := service.Lists.Items(ctx, b.kind, assessment)
	return uniqueNames(items), err
}

// uniqueNames returns the names of items by ID, without the names that several items of a locale have.
func uniqueNames[T assessapi.Listed](items []T) map[string]string {
	byLocale := map[string][]assessapi.Label{}
	for _, i := range items {
		locale := textOrEmpty(i.Base().Locale)
		byLocale[locale] = append(byLocale[locale], i.Base().Label())
	}
	names := map[string]string{}
	for _, labels := range byLocale {
		ids, _ := assessapi.ByName(labels)
		for name, id := range ids {
			names[id] = name
		}
	}
	return names
}

// showsBlocks reports whether the service shows the packages, the benchmark or the tests of any position assessment. A
// service may hide all of them (assumption A22).
func (o organization) showsBlocks() bool {
	for _, p := range o.positions {
		for _, a := range p.attached {
			if m := a.Metadata; m.Packages.Shown || m.Benchmark.Shown || m.Tests.Shown {
				return true
			}
		}
	}
	return false
}

// isNotListed reports whether the service itself says that it offers no such list, or that the API key may not read it.
func isNotListed(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return assessapi.IsNoList(err) || ok && failed.Own && failed.Status == http.StatusForbidden
}
