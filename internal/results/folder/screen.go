// SPDX-License-Identifier: MPL-2.0

package folder

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// screen shows the progress of a run: in one line of a terminal, or else in a line from time to time.
type screen struct {
	out      io.Writer
	terminal bool

	mu    sync.Mutex
	width int // of the line that shows the progress on a terminal
	done  int
	last  time.Time // of the last line of progress, or of the beginning

	trouble sync.Once // reports a failed attempt
}

// progressEvery is the time between two lines of progress without a terminal, so short runs get none.
const progressEvery = 10 * time.Second

// say shows what the run does.
func (s *screen) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update(text)
}

// count shows that another position was read.
func (s *screen) count(of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.update(fmt.Sprintf("%d of %d positions read", s.done, of))
}

// update requires the lock.
func (s *screen) update(text string) {
	now := time.Now()
	if s.last.IsZero() {
		s.last = now
	}
	if s.terminal {
		_, _ = fmt.Fprintf(s.out, "\r%-*s", s.width, text) // overwrites the line before
		s.width = len(text)
	} else if now.Sub(s.last) >= progressEvery {
		s.last = now
		_, _ = fmt.Fprintln(s.out, text)
	}
}

// print prints a line.
func (s *screen) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	_, _ = fmt.Fprintln(s.out, text)
}

// clear requires the lock.
func (s *screen) clear() {
	if s.width > 0 {
		_, _ = fmt.Fprintf(s.out, "\r%*s\r", s.width, "")
		s.width = 0
	}
}

// close removes the progress from a terminal.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

// attempt says once that the service did not answer, because the next attempts can take minutes.
func (s *screen) attempt(ctx context.Context, o assessapi.Observation) {
	if o.Err != nil && ctx.Err() == nil {
		s.trouble.Do(func() { s.print(fmt.Sprintf("%s %s: %v. Trying again.", o.Method, o.Route, o.Err)) })
	}
}
