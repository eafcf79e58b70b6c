// SPDX-License-Identifier: MPL-2.0

package callctx

import (
	"context"
	"iter"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Server contains all interfaces that the framework's protocol server implements. A smaller
// interface would hide lists, actions or state stores from the CLI.
type Server interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// Wrap returns a server that does not keep the context of an RPC after the call. It covers RPCs that a run can send for
// each of many objects, and RPCs that can wait for minutes. The other RPCs are rare and do not wait. Of these, it
// changes only StopProvider, which waits up to five seconds for the streams.
func Wrap(s Server) Server { return &releasingServer{Server: s} }

type releasingServer struct {
	Server
	streams atomic.Int32 // how many have not ended
}

// unary runs an RPC that ends when it returns.
func unary[Request, Response any](
	ctx context.Context, req Request, rpc func(context.Context, Request) (Response, error),
) (Response, error) {
	ctx, end := newCall(ctx)
	defer end()
	return rpc(ctx, req)
}

// stream runs an RPC that opens a stream. The RPC ends if rpc returns an error, or when the caller stops reading the
// stream: atEnd must change the stream so that it calls end then, once. Until then, server.streams counts the RPC.
func stream[Request, Stream any](
	ctx context.Context, server *releasingServer, req Request, rpc func(context.Context, Request) (*Stream, error),
	atEnd func(stream *Stream, end func()),
) (*Stream, error) {
	ctx, endCall := newCall(ctx)
	server.streams.Add(1)
	end := func() {
		endCall()
		server.streams.Add(-1)
	}
	opened, err := rpc(ctx, req)
	if err != nil {
		end()
		return nil, err
	}
	atEnd(opened, end)
	return opened, nil
}

// endAfter returns a sequence that calls end when the caller stops reading it.
func endAfter[T any](items iter.Seq[T], end func()) iter.Seq[T] {
	return func(push func(T) bool) {
		defer end()
		items(push)
	}
}

func (s *releasingServer) ConfigureProvider(
	ctx context.Context, req *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	return unary(ctx, req, s.Server.ConfigureProvider)
}

func (s *releasingServer) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return unary(ctx, req, s.Server.ValidateResourceConfig)
}

func (s *releasingServer) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return unary(ctx, req, s.Server.UpgradeResourceState)
}

func (s *releasingServer) UpgradeResourceIdentity(
	ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return unary(ctx, req, s.Server.UpgradeResourceIdentity)
}

func (s *releasingServer) ReadResource(
	ctx context.Context, req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return unary(ctx, req, s.Server.ReadResource)
}

func (s *releasingServer) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return unary(ctx, req, s.Server.PlanResourceChange)
}

func (s *releasingServer) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return unary(ctx, req, s.Server.ApplyResourceChange)
}

func (s *releasingServer) ImportResourceState(
	ctx context.Context, req *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return unary(ctx, req, s.Server.ImportResourceState)
}

func (s *releasingServer) GenerateResourceConfig(
	ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return unary(ctx, req, s.Server.GenerateResourceConfig)
}

func (s *releasingServer) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return unary(ctx, req, s.Server.ValidateDataResourceConfig)
}

func (s *releasingServer) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	return unary(ctx, req, s.Server.ReadDataSource)
}

func (s *releasingServer) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	return unary(ctx, req, s.Server.CallFunction)
}

func (s *releasingServer) OpenEphemeralResource(
	ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return unary(ctx, req, s.Server.OpenEphemeralResource)
}

func (s *releasingServer) ListResource(
	ctx context.Context, req *tfprotov6.ListResourceRequest,
) (*tfprotov6.ListResourceServerStream, error) {
	return stream(ctx, s, req, s.Server.ListResource, func(list *tfprotov6.ListResourceServerStream, end func()) {
		list.Results = endAfter(list.Results, end)
	})
}

func (s *releasingServer) InvokeAction(
	ctx context.Context, req *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	return stream(ctx, s, req, s.Server.InvokeAction, func(action *tfprotov6.InvokeActionServerStream, end func()) {
		action.Events = endAfter(action.Events, end)
	})
}

// StopProvider stops the provider, then waits up to five seconds until each stream has ended. After StopProvider,
// terraform-plugin-go v0.31 drops what a stream pushes. If it drops the last error of an action or a list, Terraform
// treats the action or the list as complete.
func (s *releasingServer) StopProvider(
	ctx context.Context, req *tfprotov6.StopProviderRequest,
) (*tfprotov6.StopProviderResponse, error) {
	resp, err := s.Server.StopProvider(ctx, req)
	const pause = 10 * time.Millisecond
	for range 5 * time.Second / pause { // a stream that hangs must not keep the CLI waiting
		if s.streams.Load() == 0 {
			break
		}
		time.Sleep(pause)
	}
	return resp, err
}
