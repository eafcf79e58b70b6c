// SPDX-License-Identifier: MPL-2.0

package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
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

func budgetError(err error) error {
	return fmt.Errorf("%w. Nothing was sent to the service.\n\nTo fix "+
		"this: check %s, the server and the network", err, engine.BudgetVariable)
}

// readError is the error for a list that could not be read.
func readError(err error) error {
	var refused *assessapi.Error
	const again = "Run it again. It starts from the beginning"
	what := reason(err) + ". " + nothingWritten + "\n\nTo fix this: "
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted. %s\n\nRun it again to start from the beginning", nothingWritten)
	case engine.IsSharedBudgetError(err):
		return fmt.Errorf("%scheck %s, the server and the network. %s", what, engine.BudgetVariable, again)
	case errors.As(err, &refused):
		switch refused.Class() {
		case assessapi.Unauthorized, assessapi.Forbidden:
			return fmt.Errorf("%scheck the credentials in %s and %s", what, engine.ClientVariable, engine.KeyVariable)
		case assessapi.TooManyRequests:
			return fmt.Errorf("%swait for the other program that uses the same API key. %s", what, again)
		case assessapi.ServiceFault:
			return fmt.Errorf(
				"%srun it again later. If you contact the support of the service, include the Conversation-Id",
				what,
			)
		default:
			return fmt.Errorf("%scheck %s, including its path", what, engine.AddressVariable)
		}
	}
	return fmt.Errorf("%scheck %s and the network. %s", what, engine.AddressVariable, again)
}

// reason returns the answer of the service.
func reason(err error) string {
	var refused *assessapi.Error
	if !errors.As(err, &refused) || refused.ConversationID == "" {
		return strings.TrimSuffix(err.Error(), ".")
	}
	return fmt.Sprintf("%s (Conversation-Id %s)", strings.TrimSuffix(err.Error(), "."), refused.ConversationID)
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
func (c *copier) printNotes(out io.Writer, notices []engine.Notice) error {
	type key struct {
		list      string
		unchecked bool
	}
	of, order := map[key][]note{}, []key{}
	for _, n := range c.notes {
		k := key{n.list, n.unchecked}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], n)
	}
	var lines []string
	for _, k := range order {
		var ids []string
		for _, n := range of[k][:min(len(of[k]), mostNamed)] {
			ids = append(ids, n.assessment)
		}
		named := strings.Join(ids, ", ")
		if more := len(of[k]) - len(ids); more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		line := fmt.Sprintf("The service does not list the %s of %s. The last answer was: %s.", k.list, named,
			of[k][len(of[k])-1].reason)
		if k.unchecked {
			line += " Plans on the snapshot do not check them."
		}
		lines = append(lines, line)
	}
	for _, n := range notices {
		if line := noticeLine(n); line != "" {
			lines = append(lines, line)
		}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, "Note:", line); err != nil {
			return err
		}
	}
	return nil
}

// noticeLine returns the text of a notice of the engine. It returns "" if the result
// already says it.
func noticeLine(n engine.Notice) string {
	switch n.Kind {
	case engine.ServiceLimitation:
		return n.Summary + ". " + strings.ReplaceAll(n.Detail, "\n\n", " ")
	case engine.NoCacheDirectory:
		return "There is no cache directory, so this program could not share the rate limits with other runs on this " +
			"machine. Set HOME or XDG_CACHE_HOME."
	case engine.BudgetUnusable, engine.BudgetRebuilt:
		return fmt.Sprintf("The file in which runs on this machine share the rate limits could not be used: %v.", n.Err)
	default:
		return ""
	}
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
