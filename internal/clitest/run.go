// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Run is the result of one CLI command.
type Run struct {
	T        *testing.T
	Code     int
	Output   string // human-readable or JSON, including errors and warnings
	Errors   []Diagnostic
	Warnings []Diagnostic
	Changes  []string // planned changes, as "action address"
}

// Diagnostic is an error or a warning, as the CLI prints it in JSON.
type Diagnostic struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Address  string `json:"address"`
}

func (d Diagnostic) String() string { return d.Summary + "\n" + d.Detail }

// OK fails the test if the command failed.
func (r *Run) OK() *Run {
	r.T.Helper()
	if r.Code != 0 || len(r.Errors) > 0 {
		r.T.Fatalf("the CLI ended with %d:\n%s", r.Code, r.Text())
	}
	return r
}

// Fails checks that one error matches all patterns.
func (r *Run) Fails(patterns ...string) *Run {
	r.T.Helper()
	if r.Code == 0 {
		r.T.Fatalf("the CLI succeeded:\n%s", r.Text())
	}
	r.mustMatch("error", r.Errors, patterns)
	for _, d := range r.Errors {
		if strings.Contains(d.String(), "destroy -refresh") { // dangerous to copy, so only the guide has it
			r.T.Errorf("an error shows how to destroy everything:\n%s", d)
		}
	}
	return r
}

// Warns checks that one warning matches all patterns.
func (r *Run) Warns(patterns ...string) *Run {
	r.T.Helper()
	r.mustMatch("warning", r.Warnings, patterns)
	return r
}

func (r *Run) mustMatch(kind string, diagnostics []Diagnostic, patterns []string) {
	r.T.Helper()
	for _, d := range diagnostics {
		if MatchesAll(d.String(), patterns) {
			return
		}
	}
	r.T.Fatalf("no %s matches all of %q:\n%s", kind, patterns, r.Text())
}

// Quiet checks that there were no warnings.
func (r *Run) Quiet() *Run {
	r.T.Helper()
	if len(r.Warnings) > 0 {
		r.T.Fatalf("unexpected warnings:\n%s", r.Text())
	}
	return r
}

// Empty checks that the plan has no changes.
func (r *Run) Empty() *Run {
	r.T.Helper()
	r.OK()
	if len(r.Changes) > 0 {
		r.T.Fatalf("the plan is not empty: %v\n%s", r.Changes, r.Text())
	}
	return r
}

// Plans checks the planned changes, each as "action address", in any order.
func (r *Run) Plans(changes ...string) *Run {
	r.T.Helper()
	r.OK()
	if got := slices.Sorted(slices.Values(r.Changes)); !slices.Equal(got, slices.Sorted(slices.Values(changes))) {
		r.T.Fatalf("planned %v, want %v", got, changes)
	}
	return r
}

// Text describes the run for a failure message.
func (r *Run) Text() string {
	text := ""
	for _, d := range append(r.Errors, r.Warnings...) {
		text += fmt.Sprintf("%s (%s): %s\n\n", d.Severity, d.Address, d)
	}
	return cmp.Or(text, r.Output)
}
