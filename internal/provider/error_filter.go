// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// configured is what the latest Configure has made.
type configured struct {
	*tf.Run
	errors errorFilter
}

// errorFilter leaves out errors that only repeat the cause of an error that the run reports, which makes the run fail.
// The apply of a change reports an error in any case, because the CLI would store the change otherwise.
type errorFilter struct {
	mu      sync.Mutex
	ended   chan struct{} // closed when a call ends, nil if no call waits for that
	running int           // calls that may still report an error, without those that wait
	failed  bool          // whether a call has reported a complete error
}

// errorsOfCall counts a call that begins. The caller calls drop with the diagnostics of its response. If some of them
// are repeated, drop waits until another call reports the complete error, or no other call can.
func (p *Provider) errorsOfCall() (drop func(all []*tfprotov6.Diagnostic) (kept []*tfprotov6.Diagnostic)) {
	c := p.configured.Load()
	if c == nil {
		return func(all []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic { return all }
	}
	c.errors.begin()
	return c.errors.end
}

func (f *errorFilter) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running++
}

func (f *errorFilter) end(all []*tfprotov6.Diagnostic) (kept []*tfprotov6.Diagnostic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running--
	f.failed = f.failed || slices.ContainsFunc(all, isComplete)
	if f.ended != nil {
		close(f.ended)
		f.ended = nil
	}
	if !slices.ContainsFunc(all, isRepeated) {
		return all
	}
	for !f.failed && f.running > 0 {
		f.wait()
	}
	if !f.failed {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), isRepeated)
}

// wait waits until another call ends. The caller holds the mutex, which others can hold meanwhile.
func (f *errorFilter) wait() {
	if f.ended == nil {
		f.ended = make(chan struct{})
	}
	ended := f.ended
	f.mu.Unlock()
	<-ended
	f.mu.Lock()
}

// isRepeated reports whether an error can be left out. One with a detail says what a plan lacks without it.
func isRepeated(d *tfprotov6.Diagnostic) bool {
	return isError(d) && tf.IsStopped(d.Summary) && d.Detail == ""
}

// isComplete reports whether an error says what to do.
func isComplete(d *tfprotov6.Diagnostic) bool { return isError(d) && !tf.IsStopped(d.Summary) }

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }
