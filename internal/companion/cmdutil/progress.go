// SPDX-License-Identifier: MPL-2.0

package cmdutil

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Progress shows what a command does: in one line of a terminal, or else in a line from time to time.
type Progress struct {
	out      io.Writer
	terminal bool

	mu    sync.Mutex
	width int // of the line that shows the progress on a terminal
	done  int
	last  time.Time // of the last line of progress, or of the beginning

	trouble sync.Once // reports a failed attempt
}

// NewProgress returns the progress of a command.
func NewProgress(out io.Writer, terminal bool) *Progress {
	return &Progress{out: out, terminal: terminal}
}

// progressEvery is the time between two lines of progress without a terminal, so short runs get none.
const progressEvery = 10 * time.Second

// Say shows what the run does.
func (p *Progress) Say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.update(text)
}

// Count shows that another one of several things is done, such as "positions read".
func (p *Progress) Count(of int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.update(fmt.Sprintf("%d of %d %s", p.done, of, what))
}

// update requires the lock.
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

// clear requires the lock.
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

// Attempt says once that the service did not answer, because the next attempts can take minutes.
func (p *Progress) Attempt(ctx context.Context, o assessapi.Observation) {
	if o.Err != nil && ctx.Err() == nil {
		p.trouble.Do(func() { p.Print(fmt.Sprintf("%s %s: %v. Trying again.", o.Method, o.Route, o.Err)) })
	}
}
