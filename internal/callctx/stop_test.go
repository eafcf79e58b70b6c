// SPDX-License-Identifier: MPL-2.0

package callctx_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
)

// StopProvider ends waiting calls in the framework's own server.
func TestStopProviderEndsCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		framework, ok := providerserver.NewProtocol6(withSource{source: waiting{ended}})().(callctx.Server)
		if !ok {
			t.Fatal("the framework's server lacks an interface of callctx.Server")
		}
		server := wrap(framework)
		config, err := tfprotov6.NewDynamicValue(tftypes.Object{},
			tftypes.NewValue(tftypes.Object{}, map[string]tftypes.Value{}))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			resp, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
				TypeName: "test_waiting", Config: &config,
			})
			if err != nil || len(resp.Diagnostics) > 0 {
				t.Errorf("ReadDataSource returned %v and %v", resp, err)
			}
		}()
		synctest.Wait()
		if len(ended) > 0 {
			t.Fatal("the call ended before StopProvider")
		}
		if _, err := server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the wait ended with %v, want %v", err, context.Canceled)
		}
	})
}

// withSource is a provider with one data source.
type withSource struct {
	empty
	source datasource.DataSource
}

func (p withSource) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return p.source }}
}

// waiting is a data source that waits until its context ends.
type waiting struct{ ended chan<- error }

func (waiting) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "test_waiting"
}

func (waiting) Schema(context.Context, datasource.SchemaRequest, *datasource.SchemaResponse) {}

func (w waiting) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	<-ctx.Done()
	w.ended <- ctx.Err()
	resp.State.Raw = tftypes.NewValue(tftypes.Object{}, map[string]tftypes.Value{})
}
