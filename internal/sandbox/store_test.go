// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	if n := attachedTo(t, second); n != 0 {
		t.Errorf("after the state file was removed, %d are attached", n)
	}
}

func TestLookingAtTheStateDoesNotWriteTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	service := memory(t, sandbox.Options{StateFile: path})
	identity := func() os.FileInfo { // on Windows, only that of an open file is read at once
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := file.Stat()
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		return info
	}
	replaces := func(use func()) bool {
		before := identity()
		use()
		return !os.SameFile(before, identity())
	}
	unauthorized := sandboxtest.NewRequest(t, http.MethodGet, sandbox.BaseURL+"/positions", "")
	unauthorized.SetBasicAuth("somebody", "else")
	if replaces(func() { attachedTo(t, service) }) || replaces(func() { send(t, service, unauthorized).Want(t, 401) }) {
		t.Error("a look at the state, or a request without credentials, replaced the file")
	}
	if !replaces(func() { _ = service.Update(func(st *sandbox.State) error { st.LastID++; return nil }) }) {
		t.Error("an update did not replace the file")
	}
}

// A link could lead to a file of another user, so it is rejected.
func TestALinkAsTheStateFileIsRejected(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	link, target := filepath.Join(directory, "link.json"), filepath.Join(directory, "target.json")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	_, err := sandbox.New(sandbox.Options{StateFile: link})
	if err == nil || !strings.Contains(err.Error(), link+" is not a regular file") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the target of the link: %v", err)
	}
}

// A process that is killed during a write leaves an incomplete file.
func TestTheNextChangeRemovesWhatAKilledProcessLeft(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	memory(t, sandbox.Options{StateFile: path})
	left := path + ".assess-tmp"
	if err := os.WriteFile(left, []byte(`{"version":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	post(t, memory(t, sandbox.Options{StateFile: path}), london, body("asm-facet", "{}")).Want(t, 201)
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file still exists: %v", err)
	}
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
	written := strings.ReplaceAll(path, `\`, `\\`) // in JSON
	get(t, service, "/positions").Want(t, http.StatusInternalServerError, written, "damaged")
	if err := service.Update(func(*sandbox.State) error { return nil }); err == nil {
		t.Error("Update returned no error")
	}
}

func TestAStateFileWithAnInvalidPath(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing")
	for path, named := range map[string]string{filepath.Join(missing, "state.json"): missing, folder: folder} {
		if _, err := sandbox.New(sandbox.Options{StateFile: path}); err == nil || !strings.Contains(err.Error(), named) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

// A failed update changes nothing, and neither does a state that a caller has kept.
func TestAFailedUpdateChangesNothing(t *testing.T) {
	t.Parallel()
	for _, options := range []sandbox.Options{{}, {StateFile: filepath.Join(t.TempDir(), "state.json")}} {
		service, stop := memory(t, options), errors.New("stop")
		var kept, seen *sandbox.State
		for want, change := range map[error]func(st *sandbox.State) error{
			stop: func(st *sandbox.State) error { st.Positions = nil; return stop },
			nil:  func(st *sandbox.State) error { kept = st; return nil },
		} {
			if err := service.Update(change); !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
		}
		if err := service.Update(func(st *sandbox.State) error { st.Assessments[0].Kind = "x"; return nil }); err == nil {
			t.Error("an unknown kind was accepted")
		}
		_ = service.View(func(st *sandbox.State) { seen = st })
		kept.Positions[0].ID, seen.Positions[0].ID = "kept", "seen"
		get(t, service, "/positions?limit=1").Want(t, 200, "pos-backend-london")
	}
}

// Requests and changes at the same time lose nothing, also of several services that share a file, as those of several
// processes do.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	for file, services := range map[string]int{"": 1, filepath.Join(t.TempDir(), "state.json"): 3} {
		const callers, each = 4, 3
		var (
			wg      sync.WaitGroup
			ids     sync.Map
			service *sandboxtest.Service
		)
		for range services {
			service = sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true, StateFile: file}})
			for range callers {
				wg.Go(func() {
					for range each {
						ids.Store(post(t, service, london, body("asm-facet", "{}")).Header.Get("Location"), true)
						service.Count("", "")
						service.Journal()
						service.Change(t, func(st *sandbox.State) { st.Positions[1].Title += "x" })
					}
				})
			}
		}
		wg.Wait()
		known := 0
		ids.Range(func(any, any) bool { known++; return true })
		want, positions := services*callers*each, service.State(t).Positions
		attached, changes := len(positions[0].Assessments), strings.Count(positions[1].Title, "x")
		if attached != want || known != want || changes != want {
			t.Errorf("%d attached, %d ids, %d changes, want %d of each", attached, known, changes, want)
		}
		if left, err := os.ReadDir(filepath.Dir(file)); file != "" && (err != nil || len(left) != 2) {
			t.Errorf("files left: %v, %v", left, err)
		}
	}
}
