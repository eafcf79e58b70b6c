// SPDX-License-Identifier: MPL-2.0

package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

var wordOf = map[sandbox.List]string{
	sandbox.Packages: "packages", sandbox.Benchmarks: "benchmarks", sandbox.Profiles: "profiles",
	sandbox.SkillsTests: "skills tests",
}

const nothingWritten = "Nothing was written."

// fileError is the error for a file that cannot be written.
func fileError(file string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists, and a snapshot does not replace files. %s\n\nTo fix this: choose another "+
			"name, or remove the file first", file, nothingWritten)
	}
	return fmt.Errorf(
		"could not write %s: %w. %s\n\nTo fix this: choose a directory that exists and that you can write to",
		file,
		err,
		nothingWritten,
	)
}

// progressEvery is the time between two lines of progress, so small organizations get
// none.
const progressEvery = 5 * time.Second

// showProgress prints lines of progress until stop is called.
func (c *copier) showProgress(
	ctx context.Context,
	out io.Writer,
	start time.Time,
	requests *atomic.Int64,
) (stop func()) {
	var done sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	done.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				_, _ = fmt.Fprintf(out, "%d of %d assessments and %d positions read, %d requests in %s\n", c.copied.Load(),
					c.assessments.Load(), c.positions.Load(), requests.Load(), time.Since(start).Round(time.Second))
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// mostNamed is the largest number of assessments that a note names.
const mostNamed = 5

// printNotes prints what the user should know although the snapshot was taken. One note
// covers the same list of several assessments.
func (c *copier) printNotes(out io.Writer, words Words, notices []connection.Notice) error {
	var lines []string
	for len(c.notes) > 0 {
		list := c.notes[0].list
		var ids []string
		var reason error
		c.notes = slices.DeleteFunc(c.notes, func(n note) bool {
			if n.list == list {
				ids, reason = append(ids, n.assessment), n.err
			}
			return n.list == list
		})
		named := strings.Join(ids[:min(len(ids), mostNamed)], ", ")
		if more := len(ids) - mostNamed; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		line := fmt.Sprintf("The service does not list the %s of %s. %s", list, named, words.Answer(reason))
		// Assessments of another kind have no packages and tests, so nothing is missing.
		if list == wordOf[sandbox.Benchmarks] || list == wordOf[sandbox.Profiles] {
			line += " Plans on the snapshot do not check them."
		}
		lines = append(lines, line)
	}
	for _, n := range notices {
		if n.Kind != connection.Waiting { // the lines of progress show it
			lines = append(lines, words.Notice(n))
		}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, "Note:", line); err != nil {
			return err
		}
	}
	return nil
}

func printResult(options Options, st *sandbox.State, requests int64, took time.Duration) error {
	var packages, benchmarks, profiles, tests, enabled int
	for _, a := range st.Assessments {
		packages, benchmarks, profiles = packages+len(a.Packages), benchmarks+len(a.Benchmarks), profiles+len(a.Profiles)
		tests += len(a.SkillsTests)
		for _, test := range a.SkillsTests {
			if test.Active() {
				enabled++
			}
		}
	}
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, err := fmt.Fprintf(
		columns,
		"  assessments\t%d\n  packages\t%d\n  benchmarks\t%d\n  profiles\t%d\n  skills tests\t%d "+
			"(%d enabled)\n  positions\t%d\n",
		len(st.Assessments),
		packages,
		benchmarks,
		profiles,
		tests,
		enabled,
		len(st.Positions),
	)
	if err = cmp.Or(err, columns.Flush()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(options.Out, "%s is a snapshot of %s:\n\n%s\n%d requests in %s.\n", options.File,
		st.Snapshot.BaseURL, table.String(), requests, took.Round(10*time.Millisecond))
	return err
}
