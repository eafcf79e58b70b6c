// SPDX-License-Identifier: MPL-2.0

package snapshot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/snapshot"
)

// taken is a run of Take against a service in memory.
type taken struct {
	file          string
	out, progress bytes.Buffer
	err           error
}

func credentials(name string) string {
	return map[string]string{
		"ASSESS_BASE_URL": sandbox.BaseURL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
	}[name]
}

func take(ctx context.Context, t *testing.T, service *sandboxtest.Service, change ...func(*snapshot.Options)) *taken {
	t.Helper()
	dir := t.TempDir()
	run := &taken{}
	options := snapshot.Options{
		File: filepath.Join(dir, "snapshot.json"), Version: "test", Getenv: credentials,
		Out: &run.out, Progress: &run.progress, CacheDir: filepath.Join(dir, "cache"), Transport: service,
	}
	for _, change := range change {
		change(&options)
	}
	run.file = options.File
	run.err = snapshot.Take(ctx, options)
	return run
}

// state reads what was written.
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

// large is an organization with 13 assessments, 5,000 skills tests and 2,000 positions.
func large() *sandbox.State {
	st := sandbox.Demo()
	skills := st.Assessment("asm-workbench")
	for i := len(skills.SkillsTests); i < 5000; i++ {
		var test sandbox.Object
		test.Set("id", fmt.Sprintf("skt-%d", i))
		test.Set("title", fmt.Sprintf("Übung %d", i))
		test.Set("description", strings.Repeat("What a candidate is asked to do. ", 4))
		test.Set("category", "Software")
		test.Set("timeToComplete", "30 minutes")
		test.Set("numberOfQuestions", json.RawMessage("30.0"))
		test.Set("active", i%5 > 0)
		skills.SkillsTests = append(skills.SkillsTests, sandbox.SkillsTest{Object: test})
	}
	for i := len(st.Positions); i < 2000; i++ {
		st.Positions = append(st.Positions, sandbox.Position{
			ID: fmt.Sprintf("pos-%d", i), Title: fmt.Sprintf("Ingénieure %d", i), Locale: "fr-FR",
		})
	}
	return st
}

func TestBig(t *testing.T) {
	if path := os.Getenv("BIG"); path != "" {
		if err := sandbox.Create(path, *large()); err != nil {
			t.Fatal(err)
		}
	}
}

var _ = slices.Equal[[]int]
var _ = synctest.Test
var _ = time.Second
