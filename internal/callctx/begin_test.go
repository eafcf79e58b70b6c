// SPDX-License-Identifier: MPL-2.0

package callctx_test

import (
	"context"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
)

// quick is a server whose streams are empty.
type quick struct{ callctx.Server }

func (quick) InvokeAction(
	context.Context, *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	return &tfprotov6.InvokeActionServerStream{Events: func(func(tfprotov6.InvokeActionEvent) bool) {}}, nil
}

func (quick) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// A stream may begin at the moment when StopProvider sees the end of the last one.
func TestStreamsBeginDuringStop(t *testing.T) {
	t.Parallel()
	server := wrap(quick{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 2000 {
				stream, err := server.InvokeAction(t.Context(), nil)
				if err != nil {
					t.Error(err)
					return
				}
				stream.Events(nil)
				_, _ = server.StopProvider(t.Context(), nil)
			}
		})
	}
	all.Wait()
}
