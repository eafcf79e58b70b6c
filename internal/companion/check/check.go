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
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/source"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// retryTimeout bounds the retries of one call. It is longer than one attempt, and much
// shorter than for the provider: a check is not worth more load on a service that fails.
const retryTimeout = connection.DefaultRequestTimeout + 10*time.Second

// Options configures [Run].
type Options struct {
	source.Options
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
	redirect  string // what to say about a redirect of base, or ""
	positions []assessapi.Item
	used      []string // the IDs of the positions that have assessments
	position  string   // the ID of one of these, if possible with packages, a benchmark or tests
	// attached are the position assessments that were read. The first ones, as many as own, are those of position.
	attached []assessapi.PositionAssessment
	own      int

	// What was read about candidates, and how the client understands it.
	looked     []string // the IDs of the positions
	candidates []members
	understood []assessapi.Candidate
	hasResults bool // whether the search has ended

	progress *cmdutil.Progress
}

// Run checks a service and writes the result. It returns an exit code. An error means that
// the result could not be written.
func Run(ctx context.Context, o Options) (exitCode int, err error) {
	start := time.Now()
	r := &checkResult{Version: o.Version, Assumptions: newFindings()}
	progress := cmdutil.NewProgress(o.Errors, o.Terminal)
	problem := judgeService(ctx, o, r, progress)
	progress.Close()
	r.Took = time.Since(start)
	r.judge(problem)
	return r.ExitCode, r.write(o)
}

// judgeService fills in the result. It returns why the service does not work, or "".
func judgeService(ctx context.Context, o Options, r *checkResult, progress *cmdutil.Progress) (problem string) {
	o.Created = progress.Print
	cfg, err := source.Config(ctx, o.Options, "check")
	if err != nil {
		return problemSentence(err)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w := &watcher{next: cfg.Transport, end: end}
	if w.next == nil {
		w.next = assessapi.Network(connection.DefaultRequestTimeout)
	}
	cfg.Transport, cfg.RetryTimeout = w, retryTimeout
	e, err := connection.Open(ctx, cfg)
	if err != nil {
		return problemSentence(err)
	}
	c := &check{ctx: ctx, client: e.Client, watcher: w, found: r.Assumptions, base: cfg.BaseURL, progress: progress}
	err = c.all()
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
	listed, got, err := ask(c, func(ctx context.Context) ([]assessapi.Item, error) {
		return c.client.List(ctx, assessapi.Assessments, "")
	})
	switch {
	case err != nil:
		return err
	case c.redirect != "":
		return errRedirects
	case !got.offered():
		return got.refusal
	}
	c.checkList(got)
	c.found.meets("A20")
	c.found.meets("A24")
	for _, part := range []func() error{c.checkPositions, c.checkTitles, c.checkAttached, c.checkResults} {
		if err := part(); err != nil {
			return err
		}
	}
	err = c.checkOptions(listed)
	if err == nil {
		err = c.lookForCandidates(0)
	}
	if len(c.candidates) > 0 {
		c.checkCandidates(c.candidates, c.understood)
	}
	return err
}

// watchedCall is what a call of the client has led to.
type watchedCall struct {
	body    []byte // of the last response
	refusal error  // why the service does not offer what was requested, or nil
}

func (a watchedCall) offered() bool { return a.refusal == nil }

// ask calls the client, and checks what all responses have in common. It returns an error
// if the check must end.
func ask[T any](c *check, send func(context.Context) (T, error)) (result T, got watchedCall, err error) {
	c.progress.Say(fmt.Sprintf("%d of at most %d requests sent", c.watcher.requests, MaxRequests))
	result, err = send(c.ctx)
	exchanges := c.watcher.take()
	for _, x := range exchanges {
		c.checkResponse(x)
		c.checkRedirect(x)
		// The client has asked for the same with fewer parameters, until it succeeded.
		first := exchanges[0]
		if first.status == http.StatusBadRequest && x.status/100 == 2 && len(x.query) < len(first.query) {
			c.found.differs("A24", "refused")
		}
		got.body = x.body
	}
	var refused *assessapi.Error
	switch cause := context.Cause(c.ctx); {
	case cause != nil:
		return result, got, cmp.Or(err, cause)
	case errors.As(err, new(*assessapi.ShapeError)):
		return result, watchedCall{got.body, err}, nil
	case errors.As(err, &refused) && refused.Class() != assessapi.ServiceFault &&
		refused.Class() != assessapi.TooManyRequests:
		if refused.Status == http.StatusForbidden {
			c.found.differs("A20", "forbidden")
		}
		return result, watchedCall{got.body, err}, nil
	}
	return result, got, err
}

// explain returns one sentence about an error that ended the check. It contains no text of
// the service.
func (c *check) explain(err error) string {
	var (
		refused *assessapi.Error
		call    *assessapi.CallError
		shape   *assessapi.ShapeError
		moved   *assessapi.RedirectError
	)
	route := "a request"
	switch {
	case errors.As(err, &refused):
		route = "GET " + refused.Route
	case errors.As(err, &call):
		route = "GET " + call.Route
	case errors.As(err, &shape):
		route = "GET " + shape.Route
	}
	switch cause := context.Cause(c.ctx); {
	case errors.Is(cause, errCredentials):
		return "The service refuses the credentials (401): check " + connection.ClientVariable + " and " +
			connection.KeyVariable + "."
	case errors.Is(err, errRedirects):
		return c.redirect
	case errors.As(err, &moved):
		return fmt.Sprintf("%s did not answer %s: %v. Set %s to the address of the service itself.", c.base, route, moved,
			connection.AddressVariable)
	case errors.Is(cause, errNotJSON), shape != nil:
		return fmt.Sprintf("%s answered %s with something that the provider cannot read, such as a web page, or a "+
			"compressed body without Content-Encoding: check %s, its path and any gateway.", c.base, route,
			connection.AddressVariable)
	case cause != nil:
		return "The check was interrupted."
	case call != nil:
		return fmt.Sprintf("%s could not be reached (%v): check %s, the network and the proxy settings.", c.base, call.Err,
			connection.AddressVariable)
	case refused != nil:
		return fmt.Sprintf("%s answered %s with %s: check %s, including its path, or run the check again later.", c.base,
			route, refused.StatusLine(), connection.AddressVariable)
	}
	return problemSentence(err)
}

// errRedirects is the reason to end a check if base_url redirects: the provider sends no changes to such an address.
var errRedirects = errors.New("the address redirects")

// problemSentence returns the text of an error in one line.
func problemSentence(err error) string {
	return words.Sentence(strings.Join(strings.Fields(err.Error()), " "))
}
