// SPDX-License-Identifier: MPL-2.0

package cmdutil

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// Progress shows what a command does. On a terminal, it overwrites one line. Otherwise, it prints a line from time to
// time.
type Progress struct {
	out      io.Writer
	terminal bool

	mu    sync.Mutex
	width int // of the line that shows the progress on a terminal
	done  int
	last  time.Time // of the last line of progress, or of the beginning

	trouble sync.Once // reports a failed attempt
}

// NewProgress returns the progress of a command. Nothing is shown if out is nil.
func NewProgress(out io.Writer, terminal bool) *Progress {
	if out == nil {
		out = io.Discard
	}
	return &Progress{out: out, terminal: terminal}
}

// progressEvery is the least time between two lines of progress if there is no terminal. Shorter runs print no
// progress.
const progressEvery = 10 * time.Second

// Say shows what the run does.
func (p *Progress) Say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.update(text)
}

// Count counts one more thing as done, and shows the count, such as "3 of 8 positions read".
func (p *Progress) Count(of int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.update(fmt.Sprintf("%d of %d %s", p.done, of, what))
}

// update shows a text as the progress. Without a terminal, it shows nothing until progressEvery has passed since the
// last line or the first call. The caller must hold p.mu.
func (p *Progress) update(text string) {
	now := time.Now()
	if p.last.IsZero() {
		p.last = now
	}
	if p.terminal {
		_, _ = fmt.Fprintf(p.out, "\r%-*s", p.width, text) // overwrites the line before
		p.width = len(text)
	} else if now.Sub(p.last) >= progressEvery {
		p.last = now
		_, _ = fmt.Fprintln(p.out, text)
	}
}

// Print prints a line.
func (p *Progress) Print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	_, _ = fmt.Fprintln(p.out, text)
}

// clear removes the line of progress from a terminal. The caller must hold p.mu.
func (p *Progress) clear() {
	if p.width > 0 {
		_, _ = fmt.Fprintf(p.out, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

// Close removes the progress from a terminal.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// Attempt prints the error of the first attempt that gets no response, because further attempts can take minutes.
func (p *Progress) Attempt(ctx context.Context, o assessapi.Observation) {
	if o.Err != nil && ctx.Err() == nil {
		what := messages.Sentence(fmt.Sprintf("%s %s: %v", o.Method, o.Route, o.Err))
		p.trouble.Do(func() { p.Print(what + " Failed requests are repeated.") })
	}
}
