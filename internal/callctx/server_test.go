// SPDX-License-Identifier: MPL-2.0

package callctx_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
)

type key struct{}

// body represents the memory of a request: its loggers, its stream, and its text.
type body [1 << 10]byte

// holds reports whether a server keeps a reference to a request after the RPC. The
// request's own context lives on, like that of a stream with other users.
func holds(t *testing.T, server callctx.Server, rpc string) bool {
	t.Helper()
	connection, disconnect := context.WithCancel(t.Context())
	defer disconnect()
	held := func() weak.Pointer[body] {
		b := &body{}
		send(t, server, rpc, context.WithValue(connection, key{}, b))
		return weak.Make(b)
	}()
	runtime.GC()
	defer runtime.KeepAlive(server)
	return held.Value() != nil
}

// No part of a request is reachable after the call of an RPC that a run sends often, or that waits. If this fails because the framework's own server holds nothing
// either, it no longer keeps the contexts of its calls: remove the package callctx.
func TestFrameworkHoldsContexts(t *testing.T) {
	t.Parallel()
	for _, rpc := range []string{
		"ConfigureProvider", "ValidateResourceConfig", "UpgradeResourceState", "UpgradeResourceIdentity", "ReadResource",
		"PlanResourceChange", "ApplyResourceChange", "ImportResourceState", "GenerateResourceConfig",
		"ValidateDataResourceConfig", "ReadDataSource", "CallFunction", "OpenEphemeralResource", "ListResource", "InvokeAction",
	} {
		t.Run(rpc, func(t *testing.T) {
			t.Parallel()
			if holds(t, callctx.Wrap(newFramework(t)), rpc) {
				t.Error("the server holds the request after the call")
			}
			if !holds(t, newFramework(t), rpc) {
				t.Error("the framework's own server does not hold the request after the call")
			}
		})
	}
}

// reader is a server whose ReadResource and ListResource call read.
type reader struct {
	callctx.Server
	read func(context.Context) error
	stop func()
}

func (r *reader) ReadResource(
	ctx context.Context, _ *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{}, r.read(ctx)
}

func (r *reader) ListResource(
	ctx context.Context, req *tfprotov6.ListResourceRequest,
) (*tfprotov6.ListResourceServerStream, error) {
	if req == nil {
		return nil, r.read(ctx)
	}
	return &tfprotov6.ListResourceServerStream{Results: func(push func(tfprotov6.ListResourceResult) bool) {
		for r.read(ctx) == nil && push(tfprotov6.ListResourceResult{}) {
			continue
		}
	}}, nil
}

func (r *reader) StopProvider(
	context.Context, *tfprotov6.StopProviderRequest,
) (*tfprotov6.StopProviderResponse, error) {
	r.stop()
	return &tfprotov6.StopProviderResponse{}, nil
}

// During the call, the context behaves like that of the request: values, deadline,
// cancellation, error, and cause.
func TestContextDuringTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		errStop := errors.New("stop")
		request, cancel := context.WithTimeoutCause(context.WithValue(t.Context(), key{}, "value"), time.Second, errStop)
		defer cancel()
		waits := func(ctx context.Context) error {
			derived, cancel := context.WithCancel(ctx)
			defer cancel()
			if ctx.Value(key{}) != "value" || ctx.Err() != nil {
				t.Errorf("the context has the value %v and the error %v", ctx.Value(key{}), ctx.Err())
			}
			if deadline, ok := derived.Deadline(); !ok || time.Until(deadline) != time.Second {
				t.Errorf("the deadline is %v, %t", deadline, ok)
			}
			<-derived.Done()
			if !errors.Is(context.Cause(derived), errStop) {
				t.Errorf("the cause is %v", context.Cause(derived))
			}
			return ctx.Err()
		}
		began := time.Now()
		_, err := callctx.Wrap(&reader{read: waits}).ReadResource(request, &tfprotov6.ReadResourceRequest{})
		if took := time.Since(began); took != time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call took %v and returned %v", took, err)
		}
	})
}

// A stream is read after its RPC returned. The call lasts until the stream ends. A failed call ends too, and its error
// is returned.
func TestContextOfAStream(t *testing.T) {
	t.Parallel()
	var last context.Context
	var failed error
	server := callctx.Wrap(&reader{read: func(ctx context.Context) error { last = ctx; return failed }})
	stream, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	results := 0
	for range stream.Results {
		if last.Err() != nil {
			t.Fatalf("the call ended during its stream: %v", last.Err())
		}
		if results++; results == 3 {
			break
		}
	}
	if results != 3 || last.Err() == nil {
		t.Errorf("%d results, and the context has the error %v, want 3 and a canceled one", results, last.Err())
	}
	failed = errors.New("failed")
	if _, err := server.ListResource(t.Context(), nil); !errors.Is(err, failed) || last.Err() == nil {
		t.Errorf("ListResource returned %v, and the context has the error %v", err, last.Err())
	}
}

// StopProvider returns after the end of each stream, but does not wait for one that hangs.
func TestStopWaitsForStreams(t *testing.T) {
	t.Parallel()
	for ends, want := range map[time.Duration]time.Duration{
		0: 10 * time.Millisecond, time.Second: time.Second + 10*time.Millisecond, time.Hour: 5 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			stopped := make(chan struct{})
			server := callctx.Wrap(&reader{stop: func() { close(stopped) }, read: func(context.Context) error {
				<-stopped
				time.Sleep(ends)
				return errors.New("the end")
			}})
			list, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
			if err != nil {
				t.Fatal(err)
			}
			go list.Results(nil)
			start := time.Now()
			if _, err := server.StopProvider(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > want || took < min(ends, want) {
				t.Errorf("StopProvider took %v for a stream that ends after %v, want %v", took, ends, want)
			}
			time.Sleep(ends)
		})
	}
}
