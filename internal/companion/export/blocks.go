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
	name     string // also the key of metadata
	argument string // ids or id
	// options returns what the block of a position assessment can contain: the names of the options of an assessment,
	// by ID.
	options func(ctx context.Context, service *run.Run, assessment string) (map[string]string, error)
}

// blocks are all blocks, in the order of the columns.
var blocks = []block{
	{"packages", "ids", itemsOf(assessapi.Packages)},
	{"benchmark", "id", itemsOf(assessapi.Benchmarks)},
	{"profile", "id", itemsOf(assessapi.Profiles)},
	{"tests", "ids", skillsTestsOf},
}

// itemsOf returns a function that returns the names of an assessment's items of a kind, by ID.
func itemsOf(kind assessapi.Kind) func(context.Context, *run.Run, string) (map[string]string, error) {
	return func(ctx context.Context, service *run.Run, assessment string) (map[string]string, error) {
		return namesByID(service.Lists.Items(ctx, kind, assessment))
	}
}

// skillsTestsOf returns the names of an assessment's enabled skills tests, by ID.
func skillsTestsOf(ctx context.Context, service *run.Run, assessment string) (map[string]string, error) {
	return namesByID(service.Lists.SkillsTests(ctx, assessment, true))
}

func namesByID[T assessapi.Listed](list []T, err error) (map[string]string, error) {
	names := map[string]string{}
	for _, l := range assessapi.Labels(list) {
		names[l.ID] = l.Name
	}
	return names, err
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
