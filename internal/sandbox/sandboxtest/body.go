// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"bytes"
	"context"
	"io"
	"net/http/httptrace"
	"strings"
)

// brokenBody is the end of a body that was cut off.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// contextBody is a body that cannot be read after its context has ended.
type contextBody struct {
	ctx  context.Context
	body io.Reader
}

func (b *contextBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.body.Read(p)
}

// endlessBody returns a JSON array without an end.
func endlessBody(ctx context.Context) io.Reader {
	return &contextBody{ctx, io.MultiReader(strings.NewReader("[0"), &endlessElements{})}
}

// endlessElements are elements of an array, each after a comma.
type endlessElements struct{ inside bool } // whether the last read ended after a comma

var someElements = bytes.Repeat([]byte(",0"), 4096)

func (e *endlessElements) Read(p []byte) (int, error) {
	rest := someElements
	if e.inside {
		rest = rest[1:]
	}
	n := copy(p, rest)
	e.inside = (n%2 == 1) != e.inside
	return n, nil
}

// traceOf returns the httptrace hooks of a context. All of them are set, so that they
// can be called.
func traceOf(ctx context.Context) httptrace.ClientTrace {
	hooks := httptrace.ClientTrace{}
	if set := httptrace.ContextClientTrace(ctx); set != nil {
		hooks = *set
	}
	if hooks.GotConn == nil {
		hooks.GotConn = func(httptrace.GotConnInfo) {}
	}
	if hooks.WroteHeaders == nil {
		hooks.WroteHeaders = func() {}
	}
	if hooks.WroteRequest == nil {
		hooks.WroteRequest = func(httptrace.WroteRequestInfo) {}
	}
	if hooks.GotFirstResponseByte == nil {
		hooks.GotFirstResponseByte = func() {}
	}
	return hooks
}
