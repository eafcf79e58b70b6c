// SPDX-License-Identifier: MPL-2.0

// Package check is the command "assess check". It says which assumptions of the provider a service meets.
//
// A check uses the client, the retries and the rate limits of the provider, and sends only GET requests. Its transport
// reads the responses to find out their format. The texts of the result come from [api.Assumptions], not from bodies of
// responses, so they contain nothing about people.
package check

import (
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

// retryTimeout limits the retries of one call. It is longer than one attempt, but much shorter than the provider's
// limit, because a check must not put more load on a service that fails.
const retryTimeout = run.DefaultRequestTimeout + 10*time.Second

// Options configures [Run].
type Options struct {
	run.Options
	JSON    bool // whether to write JSON instead of text
	Verbose bool // whether the text also has the assumptions that the service meets, as JSON does
	// Out is where the result is written. Errors is where progress is written.
	Out, Errors io.Writer
	Terminal    bool // whether Errors is a terminal
}

// check is one check of a service. If one of its methods returns an error, the check must end.
type check struct {
	ctx     context.Context
	client  *assessapi.Client
	watcher *watcher
	found   assumptionFindings // its methods take IDs and names from [api.Assumptions], such as "A3" and "number"

	base           *url.URL
	assessments    []string // IDs of the assessments of the organization
	positions      []members
	positionsInUse []string // IDs of positions that have assessments
	// position is the ID of the position whose assessments checkAttached reads by ID. If possible, it is a position with
	// packages, a benchmark or tests.
	position string
	// attached are position assessments that were read (addAttached). The first ones belong to position.
	attached           []assessapi.PositionAssessment
	attachedToPosition int               // how many of attached belong to position
	fetched            []string          // IDs of position assessments that were read by ID
	positionOf         map[string]string // IDs of the positions of attached, by the ID of the position assessment

	progress *cmdutil.Progress
}

// Run checks a service, writes the result, and returns an exit code. If the result was not written, it also returns an
// error, and the exit code is [DoesNotWork].
func Run(ctx context.Context, o Options) (exitCode int, err error) {
	start := time.Now()
	r := &checkResult{Version: o.Version, Assumptions: newFindings()}
	progress := cmdutil.NewProgress(o.Errors, o.Terminal)
	problem := checkService(ctx, o, r, progress)
	progress.Close()
	r.Took = time.Since(start)
	r.conclude(problem)
	if err := r.write(o); err != nil {
		return DoesNotWork, err
	}
	return r.ExitCode, nil
}

// checkService checks a service, and records the findings and the number of requests in r. It returns why the provider
// does not work with the settings or the service, or why the check could not find out, or "".
func checkService(ctx context.Context, o Options, r *checkResult, progress *cmdutil.Progress) (problem string) {
	o.Created = progress.Print // if the sandbox creates its state file
	cfg, err := run.Settings(ctx, o.Options, "check")
	if err != nil {
		return problemSentence(err)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w := &watcher{next: cfg.Transport, endCheck: end}
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
		positionOf: map[string]string{},
	}
	err = c.checkAll() //nolint:contextcheck // c has the context
	r.Requests = w.requests
	return c.problem(err)
}

// problem returns why the provider does not work with the service, or why the check could not find out, or "". err is
// why the check ended early, or nil.
func (c *check) problem(err error) string {
	differences := c.found.of("A7").names
	switch {
	case err != nil && !errors.Is(err, errMaxRequests): // a check may use up its requests
		return c.explain(err)
	case err != nil && c.found.of("A20").Status == cannotTell: // checkAll has not read the list of assessments
		return fmt.Sprintf("The service has not listed its assessments after %d requests: run the check again later.",
			MaxRequests)
	case slices.Contains(differences, "none") && slices.Contains(differences, "single"):
		return "The service offers neither the list of a position's assessments nor single position assessments, so the " +
			"provider cannot read them."
	}
	return ""
}

// checkAll sends all requests, the most important ones first, and records what it finds. The error errMaxRequests means
// that no requests are left. For any other error, [check.explain] says what is wrong.
func (c *check) checkAll() error {
	_, got, err := ask(c, c.client.Assessments)
	if err != nil {
		return err
	}
	c.checkList(got)
	if !got.offered() {
		return got.rejection
	}
	c.found.meets("A20") // unless a later response is 403
	c.found.meets("A24") // unless a response, now or later, differs
	c.assessments = idsOf(got.elements)
	for _, part := range []func() error{
		c.checkPositions, c.checkTitles, c.checkAttached, c.checkOptions,
		c.checkResults, // last, because this can use all requests that are left
	} {
		if err := part(); err != nil {
			c.found.unreadRest()
			return err
		}
	}
	return nil
}

// watchedCall is what the responses to a call of the client contain.
type watchedCall struct {
	body      []byte    // of the last response
	elements  []members // of all pages of a list, each once
	partial   bool      // whether the list has more pages than the check has read
	rejection error     // why the service does not offer what was requested, or nil
}

func (w watchedCall) offered() bool { return w.rejection == nil }

// ask calls the client and checks each response. It returns what the client returns, and what the responses contain. If
// the service rejects the request, the error is in got.rejection, and ask records a 403. If a list has more pages than
// a call may read (maxReadsOfList), got.partial is true, and result is incomplete. After err, the check must end.
func ask[T any](c *check, send func(context.Context) (T, error)) (result T, got watchedCall, err error) {
	return askWithPageSize(c, "", send)
}

// askWithPageSize does what ask does. But if pageSize is not "", it requests pages of this size, and reads at most two.
func askWithPageSize[T any](
	c *check, pageSize string, send func(context.Context) (T, error),
) (result T, got watchedCall, err error) {
	c.progress.Say(fmt.Sprintf("%d of at most %d requests sent", c.watcher.requests, MaxRequests))
	ctx, endCall := context.WithCancelCause(c.ctx)
	defer endCall(nil)
	c.watcher.pageSize, c.watcher.endCall, c.watcher.exchanges = pageSize, endCall, nil
	result, err = send(ctx)
	c.checkResponses(c.watcher.exchanges)
	got = watched(c.watcher.exchanges)
	ended := context.Cause(c.ctx)
	switch {
	case ended != nil: // the check is over, even if this call has succeeded
		err = ended
	case errors.Is(err, errMaxReads):
		got.partial, err = true, nil
	case c.isRejection(err):
		if isForbidden(err) {
			c.found.differs("A20", "forbidden")
		}
		got.rejection, err = err, nil
	}
	return result, got, err
}

// probe does what ask does, for a request that a service may not expect, and on which a service that works may fail.
// If a 5xx would make the client repeat the request, probe first reads the list of assessments, and then sends the
// request once more. It treats a second such 5xx as a rejection.
func probe[T any](c *check, send func(context.Context) (T, error)) (result T, got watchedCall, err error) {
	probeOnce := func() {
		c.watcher.isProbe = true
		result, got, err = ask(c, send)
		c.watcher.isProbe = false
	}
	probeOnce()
	if !errors.Is(got.rejection, errProbe) {
		return result, got, err
	}
	if _, _, err := ask(c, c.client.Assessments); err != nil { // this waits for the end of a short outage
		return result, got, err
	}
	probeOnce()
	return result, got, err
}

// areParametersRejected reports whether the service accepted a later request of a call only after the client had
// omitted the parameters "fields" and "limit".
func areParametersRejected(exchanges []exchange) bool {
	return slices.ContainsFunc(exchanges, func(x exchange) bool {
		return x.succeeded() && len(x.address.Query()) < len(exchanges[0].address.Query())
	})
}

// watched returns what the responses to a call of the client contain.
func watched(exchanges []exchange) (w watchedCall) {
	for _, x := range exchanges {
		w.body = x.body
		if x.succeeded() {
			w.elements = append(w.elements, listedObjects(x.body)...)
		}
	}
	w.elements = eachOnce(w.elements)
	return w
}

// isRejection reports whether an error says that the service does not offer what was requested, offers it in another
// format, or fails on a probe. The check continues after such an error, unless the client has ended.
func (c *check) isRejection(err error) bool {
	if isUnreadable(err) || errors.Is(err, errProbe) {
		return true
	}
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && c.client.Ended() == nil &&
		(failed.Outcome == assessapi.Rejected || failed.Outcome == assessapi.NotFound)
}

// recordRejection records a difference, by assumption and name, after the service has rejected a request. But after a
// 403, it records only that the check cannot tell (unread), because a 403 does not show whether the service offers what
// was requested.
func (c *check) recordRejection(got watchedCall, id, name string) {
	if isForbidden(got.rejection) {
		c.found.unread(id)
	} else {
		c.found.differs(id, name)
	}
}

// isUnreadable reports whether the service has answered in a format that the client cannot read.
func isUnreadable(err error) bool { return errors.As(err, new(*assessapi.ShapeError)) }

func isForbidden(err error) bool {
	failed, ok := errors.AsType[*assessapi.Error](err)
	return ok && failed.Status == http.StatusForbidden
}

// explain says what is wrong and what to check, for an error that ended the check, except errMaxRequests. The text
// contains no response body. If a response is not HTTP, the text may quote a line of it that contains no secret of the
// request.
func (c *check) explain(err error) string {
	shape, isShape := errors.AsType[*assessapi.ShapeError](err)
	failed, isCall := errors.AsType[*assessapi.Error](err)
	switch {
	case context.Cause(c.ctx) != nil:
		return "The check was interrupted."
	case isShape:
		return fmt.Sprintf("%s answered GET %s with something that the provider cannot read, such as a web page, or a "+
			"compressed body: check %s, its path and any gateway.", c.base, shape.Route, run.AddressVariable)
	case !isCall:
		return problemSentence(err)
	}
	switch status := failed.Status; { // 0 if there was no response
	case failed.Outcome == assessapi.Stopped: // no shared budget, or an ID that cannot be in an address
		return problemSentence(failed.Err)
	case status == 0:
		return fmt.Sprintf("%s could not be reached (%v): check %s, the network and the proxy settings.", c.base, failed.Err,
			run.AddressVariable)
	case status == http.StatusUnauthorized && failed.Own:
		return "The service rejects the credentials (401): check " + run.ClientVariable + " and " + run.KeyVariable + "."
	case status == http.StatusUnauthorized:
		return fmt.Sprintf("%s answered GET %s with %s, probably from a gateway or a firewall: check %s and %s, and "+
			"what the gateway requires, such as a header in %s.", c.base, failed.Route, failed.StatusLine(),
			run.ClientVariable, run.KeyVariable, run.HeadersVariable)
	case status == http.StatusForbidden && failed.Own: // to GET /assessments: no other 403 ends the check
		return "The service does not let the API key list assessments (403): ask the service operator for the permission."
	case status/100 == 2: // not the service's own
		return fmt.Sprintf("%s answered GET %s with %s, probably from a gateway or a firewall: check %s, its path and any "+
			"gateway, which must keep the header Conversation-Id.", c.base, failed.Route, failed.StatusLine(),
			run.AddressVariable)
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
