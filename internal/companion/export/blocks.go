// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
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

// list returns what the block can contain for an assessment. It omits tests that are not enabled.
func (b block) list(ctx context.Context, service *run.Run, assessment string) (items []assessapi.Item, err error) {
	if b.name != "tests" {
		return service.Lists.Items(ctx, b.kind, assessment)
	}
	tests, err := service.Lists.SkillsTests(ctx, assessment, true)
	for _, t := range tests {
		items = append(items, t.Item)
	}
	return items, err
}

// names returns the names by which the module "spreadsheet" finds items of a list, by ID: those that are unique. If the
// position has a locale, the module finds only benchmarks of this locale.
func (b block) names(items []assessapi.Item, locale string) map[string]string {
	if b.name == "benchmark" && locale != "" {
		items = slices.DeleteFunc(slices.Clone(items), func(i assessapi.Item) bool {
			return !messages.SameLocale(textOrEmpty(i.Locale), locale)
		})
	}
	names := map[string]string{}
	ids, _ := assessapi.ByName(assessapi.Labels(items))
	for name, id := range ids {
		names[id] = name
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
