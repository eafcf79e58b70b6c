// SPDX-License-Identifier: MPL-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	gopath "path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// report collects the events of a run.
type report struct {
	repeat  string
	dir     string // of the module
	out     io.Writer
	started time.Time
	running map[string]bool
	outputs map[[2]string]*strings.Builder // of the tests that have not passed, by package and test
	tests   int                            // that passed
	passed  int                            // packages
	failed  []failure
}

type failure struct{ pkg, test, output string }

func newReport(repeat, dir string, out io.Writer) *report {
	return &report{
		repeat: repeat, dir: dir, out: out, started: time.Now(),
		running: map[string]bool{}, outputs: map[[2]string]*strings.Builder{},
	}
}

const module = "github.com/assessascode/terraform-provider-assess"

// short returns the path of a package in its module, such as ./internal/catalog.
func (r *report) short(pkg string) string {
	if path, inside := strings.CutPrefix(pkg, gopath.Join(module, r.dir)); inside {
		return "." + path
	}
	return pkg
}

func (r *report) seconds() string { return time.Since(r.started).Round(time.Second).String() }

// add handles an event, and returns whether it printed something.
func (r *report) add(e event) bool {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
		return true
	case "start":
		r.running[e.Package] = true
	case "output":
		if r.outputs[key] == nil {
			r.outputs[key] = &strings.Builder{}
		}
		r.outputs[key].WriteString(e.Output)
	case "pass", "skip":
		own := r.outputs[key]
		delete(r.outputs, key)
		if e.Test != "" {
			r.tests++
			return false
		}
		delete(r.running, e.Package)
		if e.Action == "skip" { // it has no tests
			return false
		}
		r.passed++
		cached := ""
		if own != nil && strings.Contains(own.String(), "(cached)") {
			cached = " (cached)"
		}
		fmt.Fprintf(r.out, "ok    %-34s %6.1fs%s\n", r.short(e.Package), e.Elapsed, cached)
		return true
	case "fail":
		return r.fails(key, e)
	}
	return false
}

// fails records the failure of a test, unless it is the one of a subtest, or that of a package.
func (r *report) fails(key [2]string, e event) bool {
	text := ""
	if own := r.outputs[key]; own != nil {
		text = own.String()
	}
	delete(r.outputs, key)
	if e.Test == "" {
		delete(r.running, e.Package)
		text += r.interrupted(e.Package)
	}
	inside := slices.ContainsFunc(r.failed, func(f failure) bool {
		return f.pkg == e.Package && (e.Test == "" || strings.HasPrefix(f.test, e.Test+"/"))
	})
	if !inside {
		r.failed = append(r.failed, failure{e.Package, e.Test, text})
	}
	// A parent repeats only the names of its subtests, unless it printed something else.
	if text = lines(text); inside && !strings.Contains(text, "\n    ") && e.Test != "" {
		return false
	}
	if e.Test == "" {
		text += fmt.Sprintf("FAIL  %-34s %6.1fs\n", r.short(e.Package), e.Elapsed)
	}
	fmt.Fprint(r.out, text)
	return text != ""
}

// interrupted returns the output of the tests of a package that did not end, as after a panic or a timeout.
func (r *report) interrupted(pkg string) string {
	var text strings.Builder
	byTest := func(a, b [2]string) int { return cmp.Compare(a[1], b[1]) }
	for _, key := range slices.SortedFunc(maps.Keys(r.outputs), byTest) {
		if own := r.outputs[key].String(); key[0] == pkg && strings.Contains(own, "panic: ") {
			test := key[1]
			if hangs := hanging.FindStringSubmatch(own); hangs != nil { // go test gives the output to any test that runs
				test = hangs[1]
			}
			r.failed = append(r.failed, failure{pkg, test, own})
			text.WriteString(own)
		}
	}
	return text.String()
}

// hanging matches the first test that a timeout names.
var hanging = regexp.MustCompile(`running tests:\s+(\S+) \(`)

var noise = regexp.MustCompile(`(?m)^(=== (RUN|PAUSE|CONT|NAME) .*|FAIL|FAIL\t.*|exit status \d+)\n`)

func lines(output string) string { return noise.ReplaceAllString(output, "") }

// progress says what is running.
func (r *report) progress() {
	what := "compiling"
	if len(r.running) > 0 {
		what = "running"
		for _, pkg := range slices.Sorted(maps.Keys(r.running)) {
			what += " " + r.short(pkg)
		}
	}
	fmt.Fprintf(r.out, "... %s: %d packages passed, %s\n", r.seconds(), r.passed, what)
}

// seeds are the ways in which tests name a seed.
var (
	variables = regexp.MustCompile(`\bFIRST=\d+ SEEDS=1\b`)
	seed      = regexp.MustCompile(`seed[ =_]\d+`)
)

// end prints the last line, and before it each failed test if there are several. It returns whether the run
// failed.
func (r *report) end(failed bool) bool {
	if len(r.failed) == 0 {
		if failed {
			fmt.Fprintf(r.out, "FAILED after %s: it did not compile, or did not start\n", r.seconds())
			return true
		}
		fmt.Fprintf(r.out, "PASSED: %d tests in %d packages, %s\n", r.tests, r.passed, r.seconds())
		return false
	}
	first, repeat := r.describe(r.failed[0])
	if more := len(r.failed) - 1; more > 0 {
		fmt.Fprintf(r.out, "\nFailed:\n")
		for _, f := range r.failed {
			what, again := r.describe(f)
			fmt.Fprintf(r.out, "  %s\n    %s\n", what, again)
		}
		first += fmt.Sprintf(" (and %d more)", more)
	}
	fmt.Fprintf(r.out, "FAILED after %s: %s. Repeat it with: %s\n", r.seconds(), first, repeat)
	return true
}

// describe returns what failed, with its seed, and the command that repeats it.
func (r *report) describe(f failure) (what, repeat string) {
	// A package fails without a test if it does not compile, or if the process ends.
	what = cmp.Or(f.test, "the package") + " of " + r.short(f.pkg)
	pattern, set := "", variables.FindString(f.output)
	if test := f.test; test != "" {
		if set != "" { // any of its subtests may get the seed
			test, _, _ = strings.Cut(test, "/")
		}
		var parts []string
		for part := range strings.SplitSeq(test, "/") {
			parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
		}
		pattern = " -run '" + strings.ReplaceAll(strings.Join(parts, "/"), "'", `'\''`) + "'"
	}
	prefix := ""
	if set != "" {
		prefix, what = set+" ", what+", "+set
	} else if found := seed.FindString(f.test + "\n" + f.output); found != "" {
		what += ", " + found
	}
	return what, fmt.Sprintf("%s%s -count=1 %s%s", prefix, r.repeat, r.short(f.pkg), pattern)
}
