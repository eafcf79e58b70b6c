// SPDX-License-Identifier: MPL-2.0

// Package check is the command "assess check". It says which assumptions of the provider a service meets.
//
// A check uses the client, the retries and the rate limits of the provider, and sends only
// GET requests. A transport below them sees the responses. The check keeps only which
// format a response has, and drops the response at once. The texts of the result come
// from [api.Assumptions], never from a response, so that they contain nothing about
// people.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// retryTimeout bounds the retries of one call. It is longer than one attempt, and much
// shorter than for the provider: a check is not worth more load on a service that fails.
const retryTimeout = run.DefaultRequestTimeout + 10*time.Second

// Options configures [Run].
type Options struct {
	run.Options
	JSON    bool // whether to write JSON instead of text
	Verbose bool // whether the text names what is ok, too
	// Out is where the result is written. Errors is where progress is written.
	Out, Errors io.Writer
	Terminal    bool // whether Errors is a terminal
}

// check is one check of a service.
type check struct {
	ctx     context.Context
	client  *assessapi.Client
	watcher *watcher
	found   assumptionFindings

	base      *url.URL
	positions []members
	used      []string // the IDs of the positions that have assessments
	position  string   // the ID of one of these, if possible with packages, a benchmark or tests
	// attached are the position assessments that were read. The first own of them belong to position.
	attached []assessapi.PositionAssessment
	own      int

	progress *cmdutil.Progress
}

// Run checks a service and writes the result. It returns an exit code. An error means that
// the result could not be written.
func Run(ctx context.Context, o Options) (exitCode int, err error) {
	start := time.Now()
	r := &checkResult{Version: o.Version, Assumptions: newFindings()}
	progress := cmdutil.NewProgress(o.Errors, o.Terminal)
	problem := checkService(ctx, o, r, progress)
	progress.Close()
	r.Took = time.Since(start)
	r.conclude(problem)
	return r.ExitCode, r.write(o)
}

// checkService fills in the findings. It returns why the service does not work, or "".
func checkService(ctx context.Context, o Options, r *checkResult, progress *cmdutil.Progress) (problem string) {
	o.Created = progress.Print
	cfg, err := run.Settings(ctx, o.Options, "check")
	if err != nil {
		return problemSentence(err)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w := &watcher{next: cfg.Transport, end: end}
	if w.next == nil {
		w.next = assessapi.Network(run.DefaultRequestTimeout)
	}
	cfg.Transport, cfg.RetryTimeout = w, retryTimeout
	service, err := run.New(ctx, cfg)
	if err != nil {
		return problemSentence(err)
	}
	c := &check{
		ctx: ctx, client: service.Client, watcher: w, found: r.Assumptions, base: cfg.BaseURL, progress: progress,
	}
	err = c.all() //nolint:contextcheck // c has the context
	r.Requests = w.requests
	if err != nil && !errors.As(err, new(enough)) {
		return c.explain(err)
	}
	if lists := c.found.of("A7").names; slices.Contains(lists, "none") && slices.Contains(lists, "single") {
		return "The service offers neither the list of a position's assessments nor single position assessments, so the " +
			"provider cannot read them."
	}
	return ""
}

// all sends all requests, the most important ones first. It returns an error if the check
// must end.
func (c *check) all() error {
	_, got, err := ask(c, c.client.Assessments)
	switch {
	case err != nil:
		return err
	case !got.offered():
		return got.rejection
	}
	listed := idsOf(got.elements)
	c.checkList(got)
	c.found.meets("A20")
	c.found.meets("A24")
	for _, part := range []func() error{
		c.checkPositions, c.checkTitles, c.checkAttached,
		func() error { return c.checkOptions(listed) },
		c.checkResults, // last, because this can use all requests that are left
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// watchedCall is what a call of the client has led to.
type watchedCall struct {
	body      []byte    // of the last response
	elements  []members // of all pages of a list, each once
	partial   bool      // whether the list has more pages than the check has read
	rejection error     // why the service does not offer what was requested, or nil
}

func (a watchedCall) offered() bool { return a.rejection == nil }

// ask calls the client, and checks what all responses have in common. It returns an error
// if the check must end.
func ask[T any](c *check, send func(context.Context) (T, error)) (result T, got watchedCall, err error) {
	c.progress.Say(fmt.Sprintf("%d of at most %d requests sent", c.watcher.requests, MaxRequests))
	ctx, end := context.WithCancelCause(c.ctx)
	defer end(nil)
	c.watcher.endCall = end
	result, err = send(ctx)
	exchanges := c.watcher.take()
	for _, x := range exchanges {
		c.checkResponse(x)
		// The client has asked for the same without its own parameters.
		first := exchanges[0]
		if first.status == http.StatusBadRequest && x.status/100 == 2 && len(x.query) < len(first.query) {
			c.found.differs("A24", "rejected")
		}
		got.body = x.body
		if x.status/100 == 2 {
			got.elements = append(got.elements, listedObjects(x.body)...)
		}
	}
	got.elements = eachOnce(got.elements)
	var failed *assessapi.Error
	switch cause := context.Cause(c.ctx); {
	case cause != nil:
		return result, got, cmp.Or(err, cause)
	case errors.As(err, new(enoughPages)):
		got.partial = true
		return result, got, nil
	case errors.As(err, new(*assessapi.ShapeError)):
		got.rejection = err
		return result, got, nil
	case errors.As(err, &failed) && c.client.Ended() == nil &&
		(failed.Outcome == assessapi.Rejected || failed.Outcome == assessapi.NotFound):
		if failed.Status == http.StatusForbidden {
			c.found.differs("A20", "forbidden")
		}
		got.rejection = err
		return result, got, nil
	}
	return result, got, err
}

// explain returns one sentence about an error that ended the check. It contains no text of
// the service.
func (c *check) explain(err error) string {
	var (
		failed *assessapi.Error
		shape  *assessapi.ShapeError
	)
	const unread = "%s answered GET %s with something that the provider cannot read, such as a web page, or a " +
		"compressed body: check %s, its path and any gateway."
	switch {
	case context.Cause(c.ctx) != nil:
		return "The check was interrupted."
	case errors.As(err, &shape):
		return fmt.Sprintf(unread, c.base, shape.Route, run.AddressVariable)
	case !errors.As(err, &failed):
		return problemSentence(err)
	}
	switch status := failed.Status; {
	case status == 0 && failed.Outcome == assessapi.Stopped:
		return problemSentence(failed.Err)
	case status == 0:
		return fmt.Sprintf("%s could not be reached (%v): check %s, the network and the proxy settings.", c.base, failed.Err,
			run.AddressVariable)
	case status == http.StatusUnauthorized:
		return "The service rejects the credentials (401): check " + run.ClientVariable + " and " + run.KeyVariable + "."
	case status/100 == 2:
		return fmt.Sprintf(unread, c.base, failed.Route, run.AddressVariable)
	case status/100 == 3:
		return fmt.Sprintf("%s redirects GET %s (%s), and the provider follows no redirect: set %s to the address of the "+
			"service itself.", c.base, failed.Route, failed.StatusLine(), run.AddressVariable)
	}
	return fmt.Sprintf("%s answered GET %s with %s: check %s, including its path, or run the check again later.", c.base,
		failed.Route, failed.StatusLine(), run.AddressVariable)
}

// problemSentence returns the text of an error in one line.
func problemSentence(err error) string {
	return messages.Sentence(strings.Join(strings.Fields(err.Error()), " "))
}
