// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/companion/report"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const secret = "a-very-secret-key"

// written is the result of a run with a service in memory.
type written struct {
	t           *testing.T
	dir         string
	code        int
	out, errors bytes.Buffer
}

func write(
	ctx context.Context, t *testing.T, service http.RoundTripper, change ...func(*report.Options),
) *written {
	t.Helper()
	parent := t.TempDir()
	w := &written{t: t}
	o := report.Options{
		Options: run.Options{
			Version: "test", Getenv: sandboxtest.Getenv(nil), CacheDir: filepath.Join(t.TempDir(), "cache"),
			Transport: service,
		},
		Folder: filepath.Join(parent, "out"), Out: &w.out, Errors: &w.errors,
	}
	for _, change := range change {
		change(&o)
	}
	w.dir = o.Folder
	code, err := report.Run(ctx, o)
	if err != nil {
		_, _ = fmt.Fprintln(&w.errors, err)
	}
	w.code = code
	return w
}

// ends checks the exit code, and what the run has printed.
func (w *written) ends(code int, says ...string) *written {
	w.t.Helper()
	text := w.out.String() + w.errors.String()
	if w.code != code {
		w.t.Errorf("the exit code is %d, want %d:\n%s", w.code, code, text)
	}
	for _, part := range says {
		if !strings.Contains(text, part) {
			w.t.Errorf("%q is not in:\n%s", part, text)
		}
	}
	if strings.Contains(text, secret) || strings.Contains(text, sandbox.APIKey) {
		w.t.Errorf("the output contains the key:\n%s", text)
	}
	if code == report.Nothing {
		if _, err := os.Stat(w.dir); err == nil {
			w.t.Errorf("the run wrote %v", w.names())
		}
		if left, _ := os.ReadDir(filepath.Dir(w.dir)); len(left) > 0 {
			w.t.Errorf("the run left %v", left)
		}
	}
	return w
}

func (w *written) names() (names []string) {
	entries, _ := os.ReadDir(w.dir)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func (w *written) file(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// shows checks that a file contains texts.
func (w *written) shows(name string, texts ...string) {
	w.t.Helper()
	file := w.file(name)
	for _, text := range texts {
		if !strings.Contains(file, text) {
			w.t.Errorf("%q is not in %s:\n%s", text, name, file)
		}
	}
}

// rows returns the rows of the table as maps.
func (w *written) rows() (rows []map[string]string) {
	w.t.Helper()
	all, err := csv.NewReader(strings.NewReader(w.file("results.csv"))).ReadAll()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// positions sets the flag --position.
func positions(names ...string) func(*report.Options) {
	return func(o *report.Options) { o.Positions = names }
}

// except sets the flag --except.
func except(names ...string) func(*report.Options) {
	return func(o *report.Options) { o.Except = names }
}

// into overwrites the reports in a folder.
func into(dir string) func(*report.Options) {
	return func(o *report.Options) { o.Folder, o.Overwrite = dir, true }
}

// organization returns a state with n positions, each of which has candidates with results.
func organization(n, candidates int) *sandbox.State {
	st := sandbox.Demo()
	pattern := *st.Position(sandbox.DemoResultsPosition)
	pattern.Candidates = pattern.Candidates[:candidates]
	st.Positions = nil
	for i := range n {
		p := pattern
		p.ID, p.Title = fmt.Sprintf("pos-%d", i), fmt.Sprintf("Engineer %d, München", i)
		st.Positions = append(st.Positions, p)
	}
	return st
}

// Pages of positions of an organization.
const (
	page0 = "engineer-0-munchen-333aaef4.html"
	page1 = "engineer-1-munchen-db89260c.html"
	page2 = "engineer-2-munchen-fdeeb307.html"
	page3 = "engineer-3-munchen-09177390.html"
)

func serves(t *testing.T, st *sandbox.State, change ...func(*sandboxtest.Options)) *sandboxtest.Service {
	t.Helper()
	o := sandboxtest.Options{Options: sandbox.Options{Seed: func() *sandbox.State { return st }}}
	for _, change := range change {
		change(&o)
	}
	return sandboxtest.NewService(t, o)
}

// reject answers requests for these paths with a status and a header.
func reject(service *sandboxtest.Service, statuses map[string]int, header http.Header) {
	for path, status := range statuses {
		service.Inject(sandboxtest.Fault{
			Match: func(req *http.Request) bool { return strings.HasSuffix(req.URL.Path, path) }, Times: -1,
			Status: status, Header: header, Body: []byte(`{"message":"rejected by the test"}`),
		})
	}
}

// A run writes a page for each position that has candidates, an index and a table, with names that it looks up. It
// reads each list once, and sends nothing but GET requests.
func TestReports(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := serves(t, sandbox.Demo())
		w := write(t.Context(), t, service).ends(report.Complete, "Positions with a page: 1. Candidates: 66.", "\nOpen ")
		if got := strings.Join(w.names(), " "); got != "graduate-programme-2026-9d0ad6fc.html index.html results.csv" {
			t.Errorf("the directory has %s", got)
		}
		for _, name := range w.names() {
			sandboxtest.AssertPrivate(t, filepath.Join(w.dir, name))
		}
		w.shows("graduate-programme-2026-9d0ad6fc.html",
			`<h1 dir="auto">Graduate Programme 2026</h1>`, "Lumen Ability Test", "compared with Graduates", "sandbox.assess.invalid",
			time.Now().UTC().Format("January 2, 2006"), "Confidential", "Invented people")
		w.shows("index.html",
			`<a href="graduate-programme-2026-9d0ad6fc.html"><bdi>Graduate Programme 2026</bdi></a>`, `<a href="results.csv">`, "<td>66<td>42",
			"Positions without candidates: 7", "<li><bdi>Backend Engineer, London</bdi></li>", "Invented people")
		if rows := w.rows(); rows[0]["position"] != "Graduate Programme 2026" || rows[0]["benchmark"] == "" || len(rows) < 200 {
			t.Errorf("%d rows, the first one is %v", len(rows), rows[0])
		}
		for _, name := range w.names() {
			if text := w.file(name); strings.Contains(text, "/sit/") || strings.Contains(text, "candidateLoginUrl") {
				t.Errorf("%s contains sign-in addresses", name)
			}
		}
		service.NoWrites(t)
		service.AssertCount(t, "", sandbox.RouteResults, 8)
		service.AssertCount(t, "", sandbox.RoutePositions, 1)
		service.AssertCount(t, "", sandbox.RouteAssessments, 1)
		service.AssertCount(t, "", "", 8+1+1+1+1) // and the assessments of the position, and the benchmarks of one of them
	})
}

// The options apply to the pages, the index and the table.
func TestOptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := write(t.Context(), t, serves(t, sandbox.Demo()), func(o *report.Options) {
			o.Title, o.Report.Language, o.Report.Excel, o.Report.Wide, o.Report.Anonymous = "Woche 48", "de", true, true, true
		}).ends(report.Complete)
		w.shows("index.html", "Woche 48", "Ergebnisse nach Stelle")
		w.shows("graduate-programme-2026-9d0ad6fc.html", "Rangliste")
		w.shows("results.csv", "\ufeffposition;candidate_name;", ";Lumen Ability Test: ")
		for _, name := range w.names() {
			if text := w.file(name); strings.Contains(text, "Jürgen Groß") || strings.Contains(text, "cnd-") {
				t.Errorf("%s identifies a person:\n%s", name, text)
			}
		}
	})
}

// A position that cannot be read is named in the index and on standard error, and does not stop the others.
func TestMissingPositions(t *testing.T) {
	t.Parallel()
	const closed, forbidden = "/positions/pos-0/results", "/positions/pos-1/results"
	for name, row := range map[string]struct {
		statuses map[string]int
		header   http.Header // of the responses with the statuses, besides the header of the service
		change   func(*report.Options)
		code     int
		says     []string // on standard error
		index    []string
		pages    []string
	}{
		"closed": {
			statuses: map[string]int{closed: 404}, code: report.Incomplete,
			says: []string{
				`Could not read the results of position "Engineer 0, München" (pos-0). The response to GET `, "404",
				"To fix this: if these positions are closed or deleted, add --except pos-0 to leave them out.",
			},
			index: []string{"<bdi>Engineer 0, München</bdi>: The service does not find this position. It may be closed or deleted."},
			pages: []string{page1, page2, page3},
		},
		"closed and left out": {
			statuses: map[string]int{closed: 410}, change: except("pos-0", "Engineer 2, Mu\u0308nchen"), code: report.Complete,
			pages: []string{page1, page3},
		},
		"forbidden": {
			statuses: map[string]int{forbidden: 403}, code: report.Incomplete,
			says:  []string{`"Engineer 1, München" (pos-1)`, "403", "rejected by the test", "ask the service operator"},
			index: []string{"<bdi>Engineer 1, München</bdi>: The API key is not allowed to read the results of this position."},
			pages: []string{page0, page2, page3},
		},
		"closed for a gateway": {
			statuses: map[string]int{closed: 404}, header: http.Header{"Conversation-Id": nil}, code: report.Incomplete,
			says:  []string{`(pos-0)`, "404", "The response does not come from the service"},
			index: []string{"<bdi>Engineer 0, München</bdi>: The service gave no usable answer."},
			pages: []string{page1, page2, page3},
		},
		"forbidden for a cache": {
			statuses: map[string]int{forbidden: 403}, header: http.Header{"Age": {"60"}}, code: report.Incomplete,
			index: []string{"<bdi>Engineer 1, München</bdi>: The service gave no usable answer."},
			pages: []string{page0, page2, page3},
		},
		"all": {
			statuses: map[string]int{"/results": 403}, code: report.Nothing,
			says: []string{"No position could be read. Nothing was written.", "pos-3"},
		},
		"rejected key": {
			statuses: map[string]int{closed: 401}, change: positions("pos-0"), code: report.Nothing,
			says: []string{"401 Unauthorized", "check the credentials"},
		},
		"renamed": {
			change: positions("Engineer 0, Munchen", "pos-1", "Engineer 2, München"), code: report.Incomplete,
			says: []string{
				`No position has the title or ID "Engineer 0, Munchen". Similar: "Engineer 0, München" (pos-0)`, "correct the titles",
				"\r2 of 2 positions read\r",
			},
			index: []string{"<bdi>Engineer 0, Munchen</bdi>: No position with this title or ID was found. The title may have changed."},
			pages: []string{page1, page2},
		},
		"without a list of positions": {
			statuses: map[string]int{"/positions": 404}, change: positions("pos-1", "pos-9"), code: report.Incomplete,
			says: []string{
				`"pos-9"`, "Note: each --position must be an ID, because titles cannot be looked up. The response to GET",
				"remove their --position. Otherwise, check the IDs and ASSESS_BASE_URL, including its path.",
			},
			index: []string{"pos-9"}, pages: []string{"pos-1-db89260c.html"},
		},
		"without names of assessments": {
			statuses: map[string]int{"/assessments": 403}, code: report.Complete,
			says:  []string{"Note: the reports show IDs instead of the names of assessments."},
			pages: []string{page0, page1, page2, page3},
		},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := serves(t, organization(4, 3))
			reject(service, row.statuses, row.header)
			if row.change == nil {
				row.change = func(*report.Options) {}
			}
			terminal := func(o *report.Options) { o.Terminal = true }
			w := write(t.Context(), t, service, row.change, terminal).ends(row.code, row.says...)
			if row.code == report.Nothing {
				return
			}
			w.shows("index.html", row.index...)
			pages := slices.DeleteFunc(w.names(), func(name string) bool { return name == "index.html" || name == "results.csv" })
			if !slices.Equal(pages, row.pages) {
				t.Errorf("the pages are %q, want %q", pages, row.pages)
			}
			for _, page := range pages {
				w.shows("index.html", `href="`+page+`"`)
			}
		})
	}
}

// Standard error names each position that could not be read, however many there are.
func TestManyMissingPositions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := serves(t, organization(30, 1))
		service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Status: http.StatusNotFound, Skip: 1, Times: -1})
		w := write(t.Context(), t, service).ends(report.Incomplete, "Positions that could not be read: 29.")
		if n := strings.Count(w.errors.String(), "Could not read the results of position "); n != 29 {
			t.Errorf("%d positions are named:\n%s", n, &w.errors)
		}
	})
}

// A title of several positions means all of them, and a note names them.
func TestTitleOfSeveralPositions(t *testing.T) {
	t.Parallel()
	st := organization(3, 1)
	st.Positions[1].Title = st.Positions[0].Title
	for _, flag := range []func(...string) func(*report.Options){positions, except} {
		sandboxtest.Virtual(t, "", func(t *testing.T) {
			write(t.Context(), t, serves(t, st), flag(st.Positions[0].Title)).ends(report.Complete, fmt.Sprintf(
				`Note: several positions have the title %[1]q: %[1]q (pos-0), %[1]q (pos-1). To choose one`, st.Positions[0].Title))
		})
	}
}

// If the service does not show all titles, nothing claims that no position has a title.
func TestHiddenTitle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := organization(2, 1)
		st.Positions[1].Title = ""
		write(t.Context(), t, serves(t, st), positions("pos-0", "Engineer 1, München")).ends(report.Incomplete,
			`No position has the ID "Engineer 1, München". The service does not show the titles of 1 of 2 positions, and no `+
				`other position has this title. Similar: "Engineer 0, München" (pos-0).`).
			shows("index.html", "No position with this title or ID was found. The title may have changed.")
	})
}

// Without any candidates, the index says so.
func TestNoCandidates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := write(t.Context(), t, serves(t, organization(2, 0))).ends(report.Complete, "Positions without candidates: 2.",
			`not in results.csv: "Engineer 0, München" (pos-0), "Engineer 1, München" (pos-1).`)
		if got := strings.Join(w.names(), " "); got != "index.html results.csv" || !strings.Contains(w.file("index.html"), "No candidates.") {
			t.Errorf("the directory has %s", got)
		}
		if rows := w.rows(); len(rows) > 0 || !strings.HasPrefix(w.file("results.csv"), "position,candidate_id,") {
			t.Errorf("the table is %s", w.file("results.csv"))
		}
	})
}

// Each position has a page with a name of its own, which depends on the title and the ID, and which every system accepts.
func TestPageNames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := organization(6, 1)
		for i, title := range []string{"Lead", "Lead", "C++ / C#: ../../etc", "王小明", strings.Repeat("Very long ", 30), ""} {
			st.Positions[i].Title = title
		}
		got := strings.Join(write(t.Context(), t, serves(t, st)).ends(report.Complete).names(), " ")
		if want := "09177390.html c-c-etc-fdeeb307.html index.html lead-333aaef4.html lead-db89260c.html pos-5-82378ab4.html " +
			"results.csv very-long-very-long-very-long-very-long-very-long-very-long-cae756a0.html"; got != want {
			t.Errorf("the folder has %s, want %s", got, want)
		}
	})
}

// If the assessments or the benchmarks of positions cannot be read, their pages say so, and so does one note. The note
// contains the complete error, although four positions are read at the same time.
func TestReportWithoutBenchmarks(t *testing.T) {
	t.Parallel()
	const sentence = "Some benchmarks of this position may be missing in this report"
	isOfKeystone := func(req *http.Request) bool { return strings.Contains(req.URL.Path, "asm-keystone") }
	for name, row := range map[string]struct {
		fault sandboxtest.Fault
		shows string
	}{
		"assessments":   {sandboxtest.Fault{Route: sandbox.RoutePositionAssessments, Status: 503}, ""},
		"benchmarks":    {sandboxtest.Fault{Route: sandbox.RouteBenchmarks, Status: 403}, ""},
		"one benchmark": {sandboxtest.Fault{Route: sandbox.RouteBenchmarks, Status: 403, Match: isOfKeystone}, "compared with Graduates"},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			st := organization(4, 1)
			for i, pa := range st.Positions[0].Assessments { // which all positions share
				if pa.Assessment == "asm-keystone" {
					st.Positions[0].Assessments[i].Metadata.Benchmark = "bmk-keystone-shift-workers-en-gb"
				}
			}
			service := serves(t, st)
			row.fault.Times = -1
			service.Inject(row.fault)
			w := write(t.Context(), t, service).ends(report.Complete,
				"Note: pages on which benchmarks may be missing: 4.", fmt.Sprintf(" was %d ", row.fault.Status))
			w.shows(page0, sentence, row.shows)
			w.shows(page3, sentence)
			if notes := strings.Count(w.errors.String(), "Note: "); notes != 1 {
				t.Errorf("%d notes: %s", notes, w.errors.String())
			}
		})
	}
}

// An outage does not replace an earlier report with part of one.
func TestOutageKeepsTheEarlierReport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, to := serves(t, organization(30, 1)), into(filepath.Join(t.TempDir(), "out"))
		before := write(t.Context(), t, service, to).ends(report.Complete).names()
		service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Status: http.StatusTooManyRequests, Skip: 3, Times: -1})
		w := write(t.Context(), t, service, to)
		if w.code != report.Nothing || !slices.Equal(w.names(), before) ||
			!strings.Contains(w.errors.String(), "keeps its earlier report, because no more results could be read") {
			t.Errorf("exit code %d, the directory has %q, printed %s", w.code, w.names(), &w.errors)
		}
	})
}

// With --overwrite, nothing remains of an earlier report, unless there is nothing to replace it.
func TestEarlierPagesGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := serves(t, organization(2, 2))
		to := into(filepath.Join(t.TempDir(), "out"))
		write(t.Context(), t, service, to).ends(report.Complete)
		left := write(t.Context(), t, service, to, except("pos-0")).ends(report.Complete)
		if names := left.names(); !slices.Equal(names, []string{page1, "index.html", "results.csv"}) {
			t.Errorf("without a position that was left out: the directory has %q", names)
		}
		none := write(t.Context(), t, service, to, except("pos-0", "pos-1"))
		if !slices.Equal(none.names(), left.names()) || none.code != report.Nothing ||
			!strings.Contains(none.errors.String(), "There is no position to report on") {
			t.Errorf("exit code %d, the directory has %q, printed %s", none.code, none.names(), none.errors.String())
		}
		if err := os.Remove(filepath.Join(none.dir, "index.html")); err != nil {
			t.Fatal(err)
		}
		write(t.Context(), t, service, to, except("pos-0", "pos-1")).ends(report.Complete) // no earlier report
	})
}
