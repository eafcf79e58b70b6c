// SPDX-License-Identifier: MPL-2.0

package callctx_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
)

// newFramework returns the framework's own server for an empty provider.
func newFramework(t *testing.T) callctx.Server {
	t.Helper()
	server, ok := providerserver.NewProtocol6(empty{})().(callctx.Server)
	if !ok {
		t.Fatal("the framework's server lacks an interface of callctx.Server")
	}
	return server
}

// empty is a provider without resources or anything else.
type empty struct{}

func (empty) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse)    {}
func (empty) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (empty) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (empty) DataSources(context.Context) []func() datasource.DataSource                        { return nil }

func (empty) Resources(context.Context) []func() resource.Resource { return nil }

// send calls an RPC with an empty request and reads the stream of its response.
func send(t *testing.T, server callctx.Server, rpc string, ctx context.Context) { // t comes first
	t.Helper()
	method := reflect.ValueOf(server).MethodByName(rpc)
	answer := method.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.New(method.Type().In(1).Elem())})
	if err := answer[1]; !err.IsNil() {
		t.Fatalf("%s: %v", rpc, err)
	}
	read(answer[0])
}

// read reads a whole stream. Responses that are not streams do not have this field.
func read(answer reflect.Value) {
	for _, field := range []string{"Results", "Events"} {
		if stream := answer.Elem().FieldByName(field); stream.IsValid() {
			push := reflect.MakeFunc(stream.Type().In(0), func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.ValueOf(true)}
			})
			stream.Call([]reflect.Value{push})
		}
	}
}
