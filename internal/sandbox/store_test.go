// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestStateFileSurvives(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	first := memory(t, sandbox.Options{StateFile: path})
	post(t, first, london, body("asm-facet", "{}")).Want(t, 201, "pas-0001")
	second := memory(t, sandbox.Options{StateFile: path})
	get(t, second, london+"/pas-0001").Want(t, 200)
	post(t, second, london, body("asm-facet", "{}")).Want(t, 201, "pas-0002")
	for _, name := range []string{path, path + ".lock"} {
		sandboxtest.AssertPrivate(t, name)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	get(t, second, london).Want(t, 200, "[]") // after the state file was removed
}

func TestADamagedStateFileIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	const later = `{"version":2,"later":1}` // a later version can have members that this version does not know
	for _, text := range []string{
		"", `{"version":1,"assess`, "hello", "[]", "null", `{"version":2}`, later, `{"version":1,"colour":"red"}`, `{"version":1} {}`,
		`{"version":1,"assessments":[{"id":"a","kind":"x"}]}`,
		`{"version":1,"assessments":[{"id":"a","kind":"skills","skillsTests":[null]}]}`,
		`{"version":1,"assessments":[{"id":"a","kind":"skills","skillsTests":[{"id":"t","active":"yes"}]}]}`,
		`{"version":1,"positions":[{"id":"p","candidates":[{"id":"c","results":[{"percentile":1e308}]}]}]}`,
	} {
		path := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := sandbox.New(sandbox.Options{StateFile: path}); err == nil || !strings.Contains(err.Error(), path) ||
			text == later && !strings.Contains(err.Error(), "the state has version 2, but this program reads version 1") {
			t.Errorf("%s: error %v", text, err)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
			t.Errorf("the file became %q, %v, want %q", kept, err, text)
		}
	}
}

func TestAStateFileDamagedLaterIsAnErrorAnswer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	service := memory(t, sandbox.Options{StateFile: path})
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	get(t, service, "/positions").Want(t, http.StatusInternalServerError, "state.json", "damaged")
}

// A failed update changes nothing, and neither does a state that a caller has kept.
func TestAFailedUpdateChangesNothing(t *testing.T) {
	t.Parallel()
	service, stop := memory(t, sandbox.Options{}), errors.New("stop")
	var kept, seen *sandbox.State
	if err := service.Update(func(st *sandbox.State) error { st.Positions = nil; return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	if err := service.Update(func(st *sandbox.State) error { st.Assessments[0].Kind = "x"; return nil }); err == nil {
		t.Error("an unknown kind was accepted")
	}
	if err := service.Update(func(st *sandbox.State) error { kept = st; return nil }); err != nil {
		t.Error(err)
	}
	_ = service.View(func(st *sandbox.State) { seen = st })
	for _, st := range []*sandbox.State{kept, seen} {
		st.Positions[0].ID = "changed"
		st.Assessment("asm-workbench").SkillsTests[0].Set("id", "changed")
		*st.Position(sandbox.DemoResultsPosition).Candidates[0].Results[0].Percentile = -1
	}
	_ = service.View(func(st *sandbox.State) { seen = st })
	if !reflect.DeepEqual(seen, sandbox.Demo()) {
		t.Errorf("the state is %+v", seen)
	}
}
