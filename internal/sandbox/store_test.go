// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// processVariable makes a test binary a second process that uses the state file. Its
// value is the path of that file.
const processVariable = "SANDBOX_TEST_PROCESS"

// additions is how many assessments each of these processes attaches.
const additions = 10

func TestMain(m *testing.M) {
	if path := os.Getenv(processVariable); path != "" {
		os.Exit(attachMany(path))
	}
	os.Exit(m.Run())
}

// attachMany attaches assessments to the London position and prints the id of each.
func attachMany(path string) int {
	service, err := sandbox.New(sandbox.Options{StateFile: path, NoLimits: true})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for range additions {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, sandbox.BaseURL+london,
			strings.NewReader(`{"organizationAssessment":"asm-facet"}`))
		if err != nil {
			fmt.Println(err)
			return 1
		}
		request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		response, err := service.RoundTrip(request)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		_ = response.Body.Close()
		fmt.Println(response.Header.Get("Location"))
	}
	return 0
}

func TestProcessesShareAStateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	const processes = 3
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		seen = map[string]bool{}
	)
	for range processes {
		wg.Go(func() {
			command := exec.CommandContext(t.Context(), os.Args[0])
			command.Env = append(os.Environ(), processVariable+"="+path)
			output, err := command.Output()
			if err != nil {
				t.Errorf("another process failed: %v: %s", err, output)
			}
			lines := bufio.NewScanner(strings.NewReader(string(output)))
			mu.Lock()
			defer mu.Unlock()
			for lines.Scan() {
				if seen[lines.Text()] {
					t.Errorf("id %s was used twice", lines.Text())
				}
				seen[lines.Text()] = true
			}
		})
	}
	wg.Wait()
	service := memory(t, sandbox.Options{StateFile: path})
	if n := attachedTo(t, service); n != processes*additions || len(seen) != n {
		t.Errorf("%d attached, %d ids, want %d", n, len(seen), processes*additions)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Errorf("files left: %v, %v", entries, err)
	}
}

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
	post(t, service, london, body("asm-facet", "{}")).Want(t, 201)
	file := func() os.FileInfo {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	before := file()
	attachedTo(t, service)
	if !os.SameFile(before, file()) {
		t.Error("a look at the state replaced the file")
	}
	unauthorized := sandboxtest.NewRequest(t, http.MethodGet, sandbox.BaseURL+"/positions", "")
	unauthorized.SetBasicAuth("somebody", "else")
	send(t, service, unauthorized).Want(t, http.StatusUnauthorized)
	if !os.SameFile(before, file()) {
		t.Error("a request without credentials replaced the file")
	}
	if err := service.Update(func(st *sandbox.State) error { st.LastID++; return nil }); err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, file()) {
		t.Error("an update did not replace the file")
	}
}

// A user may store the state file elsewhere and link to it.
func TestALinkedStateFileIsOneFile(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	elsewhere := filepath.Join(directory, "elsewhere")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	path, link := filepath.Join(elsewhere, "state.json"), filepath.Join(directory, "link.json")
	if err := os.Symlink(filepath.Join("elsewhere", "state.json"), link); err != nil {
		t.Fatal(err)
	}
	linked := memory(t, sandbox.Options{StateFile: link}) // the target of the link does not exist yet
	post(t, linked, london, body("asm-facet", "{}")).Want(t, 201)
	named := memory(t, sandbox.Options{StateFile: path})
	post(t, named, london, body("asm-facet", "{}")).Want(t, 201)
	if n := attachedTo(t, linked); n != 2 {
		t.Errorf("%d attached, want 2", n)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
	if entries, err := os.ReadDir(directory); err != nil || len(entries) != 2 {
		t.Errorf("files beside the link: %v, %v", entries, err)
	}
	around := filepath.Join(directory, "around.json")
	if err := os.Symlink("around.json", around); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.New(sandbox.Options{StateFile: around}); err == nil || !strings.Contains(err.Error(), around) {
		t.Errorf("a link to itself: %v", err)
	}
}

// A process that is killed during a write leaves an incomplete file.
func TestTheNextStartRemovesWhatAKilledProcessLeft(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	memory(t, sandbox.Options{StateFile: path})
	left := path + ".tmp"
	if err := os.WriteFile(left, []byte(`{"version":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	memory(t, sandbox.Options{StateFile: path})
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file still exists: %v", err)
	}
}

func TestADamagedStateFileIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":          "",
		"half":           `{"version":1,"assess`,
		"no JSON":        "hello",
		"an array":       "[]",
		"null":           "null",
		"other version":  `{"version":2}`,
		"unknown member": `{"version":1,"colour":"red"}`,
		"text after":     `{"version":1} {}`,
		"unknown kind":   `{"version":1,"assessments":[{"id":"a","kind":"x"}]}`,
		"null test":      `{"version":1,"assessments":[{"id":"a","kind":"skills","skillsTests":[null]}]}`,
		"percentile":     `{"version":1,"positions":[{"id":"p","candidates":[{"id":"c","results":[{"percentile":1e308}]}]}]}`,
		"test":           `{"version":1,"assessments":[{"id":"a","kind":"skills","skillsTests":[{"id":"t","active":"yes"}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := sandbox.New(sandbox.Options{StateFile: path})
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v", err)
			}
			if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
				t.Errorf("the file became %q, %v", kept, err)
			}
		})
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
	for _, path := range []string{filepath.Join(t.TempDir(), "missing", "state.json"), t.TempDir()} {
		if _, err := sandbox.New(sandbox.Options{StateFile: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
	}
}

func TestAFailedUpdateChangesNothing(t *testing.T) {
	t.Parallel()
	for _, options := range []sandbox.Options{{}, {StateFile: filepath.Join(t.TempDir(), "state.json")}} {
		service := memory(t, options)
		stop := errors.New("stop")
		err := service.Update(func(st *sandbox.State) error {
			st.Positions = nil
			return stop
		})
		if !errors.Is(err, stop) {
			t.Errorf("error %v", err)
		}
		if err := service.Update(func(st *sandbox.State) error { st.Assessments[0].Kind = "x"; return nil }); err == nil {
			t.Error("an unknown kind was accepted")
		}
		get(t, service, "/positions?limit=1").Want(t, 200, "pos-backend-london")
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	for _, options := range []sandbox.Options{
		{NoLimits: true}, {NoLimits: true, StateFile: filepath.Join(t.TempDir(), "state.json")},
	} {
		service := sandboxtest.NewService(t, sandboxtest.Options{Options: options})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 3 {
					post(t, service, london, body("asm-facet", "{}")).Want(t, 201)
					service.Count("", "")
					service.Journal()
					if err := service.Update(func(st *sandbox.State) error { st.Positions[1].Title += "x"; return nil }); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if n := attachedTo(t, service.Service); n != 12 {
			t.Errorf("%d attached, want 12", n)
		}
	}
}
