// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const lyon = "/positions/pos-lyon/assessments"

// copyOfAService returns the state of a snapshot, in which kinds are not known and some
// lists are missing.
func copyOfAService() *sandbox.State {
	var test sandbox.Object
	test.Set("id", "skt-1")
	test.Set("active", true)
	return &sandbox.State{
		Snapshot: &sandbox.Snapshot{BaseURL: "https://assess.example.com/v1", Taken: time.Unix(1_800_000_000, 0).UTC()},
		Positions: []sandbox.Position{
			{ID: "pos-lyon", Title: "Chargé de clientèle", Locale: "fr_FR"}, {ID: "pos-bare"},
		},
		Assessments: []sandbox.Assessment{
			{
				ID: "games", Kind: sandbox.Observed,
				Packages:   []sandbox.Package{{ID: "pkg-1", Mandatory: true}, {ID: "pkg-2", Unmarked: true}},
				Benchmarks: []sandbox.Benchmark{{ID: "bmk-fr", Locale: "fr-fr"}, {ID: "bmk-de", Locale: "de-DE"}, {ID: "bmk-any"}},
			},
			{ID: "values", Kind: sandbox.Observed, Profiles: []sandbox.Profile{{ID: "prf-1"}}},
			{ID: "skills", Kind: sandbox.Observed, SkillsTests: []sandbox.SkillsTest{{Object: test}}},
			{ID: "plain", Kind: sandbox.Observed},
			{ID: "hidden", Kind: sandbox.Observed, Refused: []sandbox.Refusal{
				{List: sandbox.Packages, Status: 400},
				{List: sandbox.Benchmarks, Status: 404},
				{List: sandbox.Profiles, Status: 405},
				{List: sandbox.SkillsTests, Status: 501},
			}},
		},
	}
}

func openSnapshot(t *testing.T) (service *sandbox.Service, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "snapshot.json")
	if err := sandbox.Create(path, *copyOfAService()); err != nil {
		t.Fatal(err)
	}
	service, err := sandbox.New(sandbox.Options{StateFile: path, NoLimits: true})
	if err != nil {
		t.Fatal(err)
	}
	return service, path
}

// What an assessment of a snapshot accepts follows from its lists (assumption A29).
func TestASnapshotAcceptsWhatItsListsAllow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		assessment, metadata string
		status               int
		says                 string
	}{
		{"games", `{"packages":["pkg-1"]}`, 201, ""},
		{"games", `{"packages":["pkg-1","pkg-2"],"benchmark":"bmk-fr"}`, 201, ""},
		{"games", `{"packages":["pkg-1"],"benchmark":"bmk-any"}`, 201, ""},
		{"games", `{"packages":["pkg-1"],"benchmark":"bmk-de"}`, 400, "the locale"},
		{"games", `{"packages":["pkg-2"]}`, 400, "must contain the mandatory packages"},
		{"games", `{}`, 400, "must contain the mandatory packages"},
		{"games", `{"packages":["pkg-1"],"profile":"prf-1"}`, 400, "does not apply"},
		{"values", `{"profile":"prf-1"}`, 201, "PROFILE_ATTACHED"},
		{"values", `{}`, 201, "SUPERVISOR_TO_COMPLETE"},
		{"values", `{"profile":"prf-2"}`, 400, "has no"},
		{"skills", `{"tests":["skt-1"]}`, 201, ""},
		{"skills", `{}`, 400, "one or more"},
		{"plain", `{}`, 201, ""},
		{"plain", `{"benchmark":"bmk-fr"}`, 400, "does not apply"},
		{"hidden", `{}`, 201, ""},
		{"hidden", `{"packages":["any"],"benchmark":"any"}`, 201, ""},
		{"hidden", `{"profile":"any"}`, 201, "PROFILE_ATTACHED"},
		{"hidden", `{"tests":["any"]}`, 201, ""},
	} {
		t.Run(row.assessment+" "+row.metadata, func(t *testing.T) {
			t.Parallel()
			service, _ := openSnapshot(t)
			post(t, service, lyon, body(row.assessment, row.metadata)).Want(t, row.status, row.says)
		})
	}
}

func TestASnapshotShowsNoMoreThanItsService(t *testing.T) {
	t.Parallel()
	service, _ := openSnapshot(t)
	for path, status := range map[string]int{"packages": 400, "benchmarks": 404, "profiles": 405, "skills": 501} {
		given := get(t, service, "/assessments/hidden/"+path)
		given.Want(t, status, "when this snapshot was taken")
		get(t, service, "/assessments/plain/"+path).Want(t, 200, "[]")
	}
	for path, absent := range map[string][]string{
		"/assessments?fields=code,name":                                      {"code", "name"},
		"/positions?fields=title,locale&limit=1&offset=1":                    {"title", "locale"},
		"/assessments/values/profiles?fields=name":                           {"name"},
		"/assessments/games/packages?fields=mandatory,name&limit=1&offset=1": {"mandatory", "name"},
	} {
		given := get(t, service, path)
		given.Want(t, 200)
		for _, name := range absent {
			if strings.Contains(given.Body, `"`+name+`"`) {
				t.Errorf("%s shows %q: %s", path, name, given.Body)
			}
		}
	}
}

// Only writes change the file of a snapshot. The limits apply in each process.
func TestReadingASnapshotDoesNotChangeIt(t *testing.T) {
	t.Parallel()
	_, path := openSnapshot(t)
	service, err := sandbox.New(sandbox.Options{StateFile: path})
	if err != nil {
		t.Fatal(err)
	}
	if origin := service.Snapshot(); origin == nil || *origin != *copyOfAService().Snapshot {
		t.Errorf("origin: %+v", origin)
	}
	before := contents(t, path)
	refused := 0
	for range 25 {
		if get(t, service, "/positions?fields=title").Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		t.Error("the limits do not apply")
	}
	if !bytes.Equal(before, contents(t, path)) {
		t.Error("reading has changed the file")
	}

	unlimited, err := sandbox.New(sandbox.Options{StateFile: path, NoLimits: true})
	if err != nil {
		t.Fatal(err)
	}
	post(t, unlimited, lyon, body("nothing", "{}")).Want(t, 400)
	if !bytes.Equal(before, contents(t, path)) {
		t.Error("a refused write has changed the file")
	}
	post(t, unlimited, lyon, body("plain", "{}")).Want(t, 201)
	if bytes.Equal(before, contents(t, path)) {
		t.Error("a write has not changed the file")
	}
	// Another process sees the change, and so does a process that read the file before.
	get(t, unlimited, lyon).Want(t, 200, "pas-0001")
	remove(t, unlimited, lyon+"/pas-0001").Want(t, 204)
	other, err := sandbox.New(sandbox.Options{StateFile: path, NoLimits: true})
	if err != nil {
		t.Fatal(err)
	}
	get(t, unlimited, lyon).Want(t, 200, "[]")
	post(t, other, lyon, body("plain", "{}")).Want(t, 201)
	get(t, unlimited, lyon).Want(t, 200, "pas-0002")
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCreateReplacesNoFile(t *testing.T) {
	t.Parallel()
	_, path := openSnapshot(t)
	before := contents(t, path)
	if err := sandbox.CheckNew(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("CheckNew: %v", err)
	}
	if err := sandbox.Create(path, *sandbox.Demo()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create: %v", err)
	}
	if !bytes.Equal(before, contents(t, path)) {
		t.Error("the file has changed")
	}
	if drafts, err := filepath.Glob(path + ".*.tmp"); err != nil || len(drafts) > 0 {
		t.Errorf("drafts: %v, %v", drafts, err)
	}
	invalid := copyOfAService()
	invalid.Assessments[0].Refused = []sandbox.Refusal{{List: sandbox.Packages, Status: 200}}
	if err := sandbox.Create(path+"2", *invalid); err == nil ||
		!strings.Contains(err.Error(), "not the status of a refusal") {
		t.Errorf("a state that is not valid: %v", err)
	}
}
