// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"context"
	"io"
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

// spaces are a body without an end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
