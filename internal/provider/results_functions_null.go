// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// protocolServer is everything that the framework's server can do. A wrapper
// must offer all of it: what it does not offer is lost to the CLI in silence.
type protocolServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
	tfprotov6.ListResourceServer
	tfprotov6.StateStoreServer
}

// nullArguments accepts the null arguments of functions as OpenTofu 1.12 sends
// them: as a value without any data, which the framework refuses.
type nullArguments struct{ protocolServer }

// WithNullArguments lets users of OpenTofu pass null to functions.
func WithNullArguments(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	if full, ok := server.(protocolServer); ok {
		return nullArguments{full}
	}
	return server
}

// CallFunction replaces arguments without data by null.
func (s nullArguments) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	for i, argument := range req.Arguments {
		if argument == nil || len(argument.MsgPack)+len(argument.JSON) == 0 {
			req.Arguments[i] = &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}} // null
		}
	}
	return s.protocolServer.CallFunction(ctx, req)
}
