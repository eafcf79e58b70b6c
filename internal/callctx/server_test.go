// SPDX-License-Identifier: MPL-2.0

package callctx_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync/atomic"
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

// No part of a request is reachable after the call. If this fails because the framework's own server holds nothing
// either, it no longer keeps the contexts of its calls: remove the package callctx.
func TestFrameworkHoldsContexts(t *testing.T) {
	t.Parallel()
	for _, rpc := range others() {
		t.Run(rpc, func(t *testing.T) {
			t.Parallel()
			if holds(t, wrap(newFramework(t)), rpc) {
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
	read  func(context.Context) error
	fails func(context.Context) error // if set, ListResource fails
}

func (r *reader) ReadResource(
	ctx context.Context, _ *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{}, r.read(ctx)
}

func (r *reader) ListResource(
	ctx context.Context, _ *tfprotov6.ListResourceRequest,
) (*tfprotov6.ListResourceServerStream, error) {
	if r.fails != nil {
		return nil, r.fails(ctx)
	}
	return &tfprotov6.ListResourceServerStream{Results: func(push func(tfprotov6.ListResourceResult) bool) {
		for r.read(ctx) == nil && push(tfprotov6.ListResourceResult{}) {
			continue
		}
	}}, nil
}

// During the call, the context behaves like that of the request: values, deadline,
// cancellation, error, and cause.
func TestContextDuringTheCall(t *testing.T) {
	t.Parallel()
	errStop := errors.New("stop")
	for want, limit := range map[error]func(context.Context) (context.Context, context.CancelFunc){
		context.Canceled: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			// Called in virtual time.
			time.AfterFunc(time.Second, func() { cancel(errStop) })
			return ctx, func() { cancel(nil) }
		},
		context.DeadlineExceeded: func(ctx context.Context) (context.Context, context.CancelFunc) {
			// Called in virtual time.
			return context.WithTimeoutCause(ctx, time.Second, errStop)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			request, cancel := limit(context.WithValue(t.Context(), key{}, "value"))
			defer cancel()
			waits := func(ctx context.Context) error {
				derived, cancel := context.WithCancel(ctx)
				defer cancel()
				if ctx.Value(key{}) != "value" || ctx.Err() != nil {
					t.Errorf("the context has the value %v and the error %v", ctx.Value(key{}), ctx.Err())
				}
				deadline, ok := derived.Deadline()
				if due, has := request.Deadline(); ok != has || !deadline.Equal(due) {
					t.Errorf("the deadline is %v, %t, want %v, %t", deadline, ok, due, has)
				}
				<-derived.Done()
				if !errors.Is(ctx.Err(), want) || !errors.Is(context.Cause(derived), errStop) {
					t.Errorf("the error is %v because of %v, want %v because of %v", ctx.Err(), context.Cause(derived), want, errStop)
				}
				return ctx.Err()
			}
			began := time.Now()
			_, err := wrap(&reader{read: waits}).ReadResource(request, &tfprotov6.ReadResourceRequest{})
			if took := time.Since(began); took != time.Second || !errors.Is(err, want) {
				t.Errorf("the call took %v and returned %v, want 1s and %v", took, err, want)
			}
		})
	}
}

// After the call, its context is canceled and has no values, even if code kept it.
func TestContextAfterTheCall(t *testing.T) {
	t.Parallel()
	var kept context.Context
	server := wrap(&reader{read: func(ctx context.Context) error { kept = ctx; return nil }})
	request := context.WithValue(t.Context(), key{}, "value")
	if _, err := server.ReadResource(request, &tfprotov6.ReadResourceRequest{}); err != nil {
		t.Fatal(err)
	}
	<-kept.Done()
	if !errors.Is(kept.Err(), context.Canceled) || kept.Value(key{}) != nil {
		t.Errorf("the context has the error %v and the value %v, want it canceled and empty", kept.Err(), kept.Value(key{}))
	}
	if request.Err() != nil {
		t.Errorf("the end of the call canceled the request: %v", request.Err())
	}
}

// A stream is read after its RPC returned. The call lasts until the stream ends. A failed call ends too, and its error
// is returned.
func TestContextOfAStream(t *testing.T) {
	t.Parallel()
	var last context.Context
	failed := errors.New("failed")
	server := &reader{read: func(ctx context.Context) error { last = ctx; return ctx.Err() }}
	stream, err := wrap(server).ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
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
	server.fails = func(ctx context.Context) error { last = ctx; return failed }
	if _, err := wrap(server).ListResource(t.Context(), nil); !errors.Is(err, failed) || last.Err() == nil {
		t.Errorf("ListResource returned %v, and the context has the error %v", err, last.Err())
	}
}

// slow is a server whose streams end a while after StopProvider.
type slow struct {
	callctx.Server
	ends    time.Duration
	stopped chan struct{}
}

func (s *slow) InvokeAction(
	context.Context, *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	return &tfprotov6.InvokeActionServerStream{Events: endOf[tfprotov6.InvokeActionEvent](s)}, nil
}

func (s *slow) ListResource(
	context.Context, *tfprotov6.ListResourceRequest,
) (*tfprotov6.ListResourceServerStream, error) {
	return &tfprotov6.ListResourceServerStream{Results: endOf[tfprotov6.ListResourceResult](s)}, nil
}

func endOf[T any](s *slow) iter.Seq[T] {
	return func(push func(T) bool) {
		<-s.stopped
		time.Sleep(s.ends)
		push(*new(T))
	}
}

func (s *slow) StopProvider(
	context.Context, *tfprotov6.StopProviderRequest,
) (*tfprotov6.StopProviderResponse, error) {
	close(s.stopped)
	return &tfprotov6.StopProviderResponse{}, nil
}

// StopProvider returns after the end of each stream, but does not wait for one that hangs.
func TestStopWaitsForStreams(t *testing.T) {
	t.Parallel()
	for ends, want := range map[time.Duration]int32{0: 2, time.Second: 2, time.Hour: 0} {
		synctest.Test(t, func(t *testing.T) {
			server := wrap(&slow{ends: ends, stopped: make(chan struct{})})
			action, err := server.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{})
			if err != nil {
				t.Fatal(err)
			}
			list, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
			if err != nil {
				t.Fatal(err)
			}
			var pushed atomic.Int32
			go action.Events(func(tfprotov6.InvokeActionEvent) bool { pushed.Add(1); return true })
			go list.Results(func(tfprotov6.ListResourceResult) bool { pushed.Add(1); return true })
			if _, err := server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
				t.Fatal(err)
			}
			if got := pushed.Load(); got != want {
				t.Errorf("streams that end after %v had pushed %d elements when StopProvider returned, want %d", ends, got, want)
			}
			time.Sleep(ends)
		})
	}
}

func wrap(s callctx.Server) callctx.Server {
	return callctx.Wrap(s)
}
