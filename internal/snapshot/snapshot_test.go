// SPDX-License-Identifier: MPL-2.0

package snapshot_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/snapshot"
)

// taken is the result of a call of Take with a service in memory.
type taken struct {
	file          string
	out, progress bytes.Buffer
	err           error
}

func take(ctx context.Context, t *testing.T, service *sandboxtest.Service, change ...func(*snapshot.Options)) *taken {
	t.Helper()
	dir := t.TempDir()
	run := &taken{}
	options := snapshot.Options{
		File: filepath.Join(dir, "snapshot.json"), Version: "test", Getenv: sandboxtest.Getenv(nil),
		Out: &run.out, Progress: &run.progress, CacheDir: filepath.Join(dir, "cache"), Transport: service,
		Words: snapshot.Words{Explain: provider.Explain, Answer: provider.Answer, Notice: provider.Note},
		Now:   sandboxtest.Now,
	}
	for _, change := range change {
		change(&options)
	}
	run.file = options.File
	run.err = snapshot.Take(ctx, options)
	return run
}

// state opens the snapshot and returns its state.
func (r *taken) state(t *testing.T) *sandbox.State {
	t.Helper()
	if r.err != nil {
		t.Fatalf("no snapshot: %v", r.err)
	}
	service, err := sandbox.New(sandbox.Options{StateFile: r.file})
	if err != nil {
		t.Fatal(err)
	}
	var st *sandbox.State
	if err := service.View(func(seen *sandbox.State) { st = seen }); err != nil {
		t.Fatal(err)
	}
	return st
}

// requests counts requests by route and page.
func requests(service *sandboxtest.Service) map[string]int {
	counts := map[string]int{}
	for _, entry := range service.Journal() {
		counts[entry.Path+" "+entry.Query.Get("active")+" from "+cmp.Or(entry.Query.Get("offset"), "0")]++
	}
	return counts
}

// The figures of this test are in the guide "Planning without a key": one request for
// each list and page, within the limits, in less than a minute.
func TestLargeOrganization(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		organization := sandboxtest.Large()
		service := sandboxtest.NewService(t, sandboxtest.Options{
			Options: sandbox.Options{Seed: func() *sandbox.State { return organization }}, Latency: 200 * time.Millisecond,
		})
		start := time.Now()
		run := take(t.Context(), t, service)
		took := time.Since(start)
		if took > 10*time.Second { // one request after the other would take 14 s
			t.Errorf("it took %v", took)
		}
		// These are 1 list of assessments, 2 pages of positions, 5 lists for each of 13
		// assessments, and 3 more pages of the 4,000 enabled tests. The 5 lists are packages,
		// benchmarks, profiles, enabled tests and other tests.
		const expected = 1 + 2 + 13*5 + 3
		for request, n := range requests(service) {
			if n > 1 {
				t.Errorf("%d requests for %s", n, request)
			}
		}
		if n := service.Count("GET", ""); n != expected || len(service.Writes()) > 0 {
			t.Errorf("%d requests, want %d; writes: %v", n, expected, service.Writes())
		}
		if got := statuses(service); got[200] != expected {
			t.Errorf("statuses: %v", got)
		}
		sameOrganization(t, run.state(t), organization)
		for _, says := range []string{
			`assessments +13`, `packages +4\n`, `benchmarks +39`, `profiles +6`, `skills tests +5000 \(4000 enabled\)`,
			`positions +2000`, regexp.QuoteMeta(sandbox.BaseURL),
			regexp.QuoteMeta(fmt.Sprintf("%d requests in %s.", expected, took.Round(10*time.Millisecond))),
		} {
			if !regexp.MustCompile(says).MatchString(run.out.String()) {
				t.Errorf("the result lacks %q:\n%s", says, &run.out)
			}
		}
	})
}

// sameOrganization compares everything that a configuration can refer to.
func sameOrganization(t *testing.T, got, want *sandbox.State) {
	t.Helper()
	for _, st := range []*sandbox.State{got, want} {
		for i := range st.Assessments {
			a := &st.Assessments[i]
			a.Kind, a.Extra = "", nil
			slices.SortStableFunc(a.SkillsTests, func(a, b sandbox.SkillsTest) int {
				return cmp.Compare(a.ID(), b.ID())
			})
			for _, test := range a.SkillsTests {
				if number, ok := test.Get("numberOfQuestions"); ok && string(number) == "30.0" {
					test.Set("numberOfQuestions", 30)
				}
			}
		}
		for i := range st.Positions {
			st.Positions[i].Assessments, st.Positions[i].Candidates, st.Positions[i].Extra = nil, nil, nil
		}
	}
	if !reflect.DeepEqual(got.Positions, want.Positions) {
		t.Errorf("positions differ:\n%.500v\n%.500v", got.Positions, want.Positions)
	}
	if len(got.Assessments) != len(want.Assessments) {
		t.Fatalf("%d assessments, want %d", len(got.Assessments), len(want.Assessments))
	}
	for i := range want.Assessments {
		if a, b := asJSON(t, got.Assessments[i]), asJSON(t, want.Assessments[i]); a != b {
			t.Errorf("assessments differ:\n%.900s\n%.900s", a, b)
		}
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestProgress uses an organization whose lists take several minutes within the limits.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{Seed: func() *sandbox.State {
			st := sandbox.Demo()
			for i := len(st.Assessments); i < 150; i++ {
				st.Assessments = append(st.Assessments, sandbox.Assessment{
					ID: fmt.Sprintf("asm-%d", i), Kind: sandbox.BehaviouralProfile, Name: "Łódź – 東京",
				})
			}
			return st
		}}})
		start := time.Now()
		run := take(t.Context(), t, service)
		took := time.Since(start)
		n := len(service.Journal())
		if n != 1+1+150*5 || took < time.Minute || took > 2*time.Minute {
			t.Errorf("%d requests in %v", n, took)
		}
		if got := statuses(service); got[200] != n {
			t.Errorf("statuses: %v", got)
		}
		lines := strings.Split(strings.TrimSpace(run.progress.String()), "\n")
		if want := int(took / (5 * time.Second)); len(lines) < want-1 || len(lines) > want+1 {
			t.Errorf("%d lines of progress in %v", len(lines), took)
		}
		if !regexp.MustCompile(`^\d+ of 150 assessments and 8 positions read, \d+ requests in 1m0s$`).MatchString(lines[11]) {
			t.Errorf("progress: %s", lines[11])
		}
		if name := run.state(t).Assessment("asm-149").Name; name != "Łódź – 東京" {
			t.Errorf("name %q", name)
		}
	})
}

func statuses(service *sandboxtest.Service) map[int]int {
	counts := map[int]int{}
	for _, entry := range service.Journal() {
		counts[entry.Status]++
	}
	return counts
}

// Two snapshots with the same key share its rate limits.
func TestSharedBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{})
		cache := t.TempDir()
		var runs sync.WaitGroup
		for range 3 {
			runs.Go(func() {
				run := take(t.Context(), t, service, func(o *snapshot.Options) { o.CacheDir = cache })
				if run.err != nil {
					t.Error(run.err)
				}
			})
		}
		runs.Wait()
		if got := statuses(service); got[200] != 3*(1+1+13*5) || len(got) != 1 {
			t.Errorf("statuses: %v", got)
		}
	})
}
