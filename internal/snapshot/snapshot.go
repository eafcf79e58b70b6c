// SPDX-License-Identifier: MPL-2.0

package snapshot

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Options configures [Take].
type Options struct {
	File    string // the file to create, which must not exist
	Version string // of the provider, for the User-Agent
	// Getenv reads an environment variable. The variables are the same as for the provider.
	Getenv func(string) string
	// Out is where the result is written. Progress is where progress and notes about missing
	// lists are written.
	Out, Progress io.Writer
	// CacheDir is the directory in which runs on this machine share the budget of the API
	// key. Empty means [connection.DefaultCacheDir]. Transport sends requests after the throttle
	// has admitted them. Nil means the network.
	CacheDir  string
	Transport connection.Transport
	// Now is the clock of the budget (see [connection.Config]).
	Now   func() time.Duration
	Words Words
}

// Words turns what happened into text. It has no words for files and environment variables.
type Words struct {
	// Explain returns what could not be done, the reason, and how to fix it. Answer returns
	// only the reason.
	Explain func(what string, err error) string
	Answer  func(error) string
	Notice  func(connection.Notice) string
}

// Take copies the data of a service into a new file. It writes the file in one step after
// it has read everything. The text of an error says that there is no file, and how to fix
// that.
func Take(ctx context.Context, options Options) error {
	start := time.Now()
	cfg, err := connection.Environment(options.Getenv, "terraform-provider-assess/"+options.Version+" snapshot")
	if err != nil {
		return err
	}
	cfg.CacheDir, cfg.Transport, cfg.Now = cmp.Or(options.CacheDir, cfg.CacheDir), options.Transport, options.Now
	if err := sandbox.CheckNew(options.File); err != nil {
		return fileError(options.File, err)
	}
	var requests atomic.Int64
	cfg.OnAttempt = func(context.Context, assessapi.Observation) { requests.Add(1) }
	source, err := connection.Open(ctx, cfg)
	if err != nil {
		return errors.New(options.Words.Explain("Could not take a snapshot. Nothing was sent to the service.", err))
	}
	c := &copier{source: source.Client}
	stop := c.showProgress(ctx, options.Progress, start, &requests)
	st, err := c.copy(ctx)
	stop()
	if err != nil {
		return errors.New(options.Words.Explain("Could not take a snapshot. "+nothingWritten, err))
	}
	st.Snapshot = &sandbox.Snapshot{BaseURL: cfg.BaseURL.String(), Taken: start.UTC().Truncate(time.Second)}
	if err := sandbox.Create(options.File, *st); err != nil {
		return fileError(options.File, err)
	}
	if err := c.printNotes(options.Progress, options.Words, source.Notices()); err != nil {
		return err
	}
	return printResult(options, st, requests.Load(), time.Since(start))
}
