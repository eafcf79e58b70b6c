// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment"
)

// server adds to the protocol server of the framework what the framework lacks.
type server struct {
	callctx.Server
	provider *Provider

	once      sync.Once // fills resources, see [server.schemas]
	resources map[string]*tfprotov6.Schema
}

// NewServer returns the protocol server of a provider.
func NewServer(p *Provider) tfprotov6.ProviderServer {
	served := providerserver.NewProtocol6(p)()
	if complete, ok := served.(callctx.Server); ok {
		calls := p.Calls
		if calls == nil {
			calls = callctx.NewCalls()
		}
		return &server{Server: callctx.Wrap(complete, calls, p.beginCall), provider: p}
	}
	return served
}

// beginCall tells the run, if there is one yet, that the CLI has called the provider.
func (p *Provider) beginCall() (end func()) {
	if c := p.configured.Load(); c != nil {
		return c.BeginCall()
	}
	return func() {}
}

// ReadResource keeps the state of an object that could not be read for the same reason as another one.
func (s *server) ReadResource(
	ctx context.Context, req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	drop := s.provider.errorsOfCall()
	resp, err := s.Server.ReadResource(ctx, req)
	if err != nil {
		drop(nil)
		return resp, err
	}
	if all := drop(resp.Diagnostics); len(all) < len(resp.Diagnostics) {
		resp.Diagnostics, resp.NewState, resp.Private = all, req.CurrentState, req.Private
		resp.NewIdentity = req.CurrentIdentity
	}
	return resp, nil
}

// ReadDataSource reports each error, because there are no values without it. It may be the complete error of the run.
func (s *server) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	drop := s.provider.errorsOfCall()
	resp, err := s.Server.ReadDataSource(ctx, req)
	if err != nil {
		drop(nil)
		return resp, err
	}
	drop(resp.Diagnostics)
	return resp, nil
}

// PlanResourceChange plans without the checks that have failed for the same reason as another one. An apply also calls
// it, and then the CLI requires the same values as in the plan. So this is only for the resource that has
// all its values without the checks.
func (s *server) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	drop := s.provider.errorsOfCall()
	resp, err := s.Server.PlanResourceChange(ctx, req)
	if err != nil {
		drop(nil)
		return resp, err
	}
	if all := drop(resp.Diagnostics); req.TypeName == positionassessment.TypeName {
		resp.Diagnostics = all
	}
	s.sayWhere(ctx, resp.Diagnostics, req.TypeName, req.Config)
	return resp, nil
}

// ValidateResourceConfig is also called by a plan, for each resource of a for_each.
func (s *server) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := s.Server.ValidateResourceConfig(ctx, req)
	if err == nil {
		s.sayWhere(ctx, resp.Diagnostics, req.TypeName, req.Config)
	}
	return resp, err
}

// PlanAction refuses what validation refuses, because Terraform validates an action before it knows variables, and not
// again.
func (s *server) PlanAction(
	ctx context.Context, req *tfprotov6.PlanActionRequest,
) (*tfprotov6.PlanActionResponse, error) {
	if refused, err := s.refusedAction(ctx, req.ActionType, req.Config); len(refused) > 0 || err != nil {
		return &tfprotov6.PlanActionResponse{Diagnostics: refused}, err
	}
	return s.Server.PlanAction(ctx, req)
}

// InvokeAction refuses what validation refuses, because a value may have been unknown until now.
func (s *server) InvokeAction(
	ctx context.Context, req *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	if refused, err := s.refusedAction(ctx, req.ActionType, req.Config); len(refused) > 0 || err != nil {
		return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
			push(tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: refused}})
		}}, err
	}
	return s.Server.InvokeAction(ctx, req)
}

// refusedAction validates the configuration of an action, and returns the diagnostics if one is an error.
func (s *server) refusedAction(
	ctx context.Context, actionType string, config *tfprotov6.DynamicValue,
) ([]*tfprotov6.Diagnostic, error) {
	resp, err := s.ValidateActionConfig(ctx,
		&tfprotov6.ValidateActionConfigRequest{ActionType: actionType, Config: config})
	if err != nil || !slices.ContainsFunc(resp.Diagnostics, isError) {
		return nil, err
	}
	return resp.Diagnostics, nil
}

// CallFunction replaces arguments without data with null. OpenTofu 1.12 sends null without
// data, and the framework refuses that.
func (s *server) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	for i, argument := range req.Arguments {
		if argument == nil || len(argument.MsgPack)+len(argument.JSON) == 0 {
			req.Arguments[i] = &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}} // null
		}
	}
	return s.Server.CallFunction(ctx, req)
}

// UpgradeResourceState tells the run which position assessments a state contains, and
// removes what the setting privacy does not allow and an earlier run has stored.
// The CLI upgrades each object before it plans anything with it, also if it does not
// refresh, or if the object is tainted and planned as a creation.
func (s *server) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	c := s.provider.configured.Load()
	if c == nil || req.RawState == nil {
		return s.Server.UpgradeResourceState(ctx, req)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(req.RawState.JSON, &object) != nil {
		return s.Server.UpgradeResourceState(ctx, req) // which reports the error
	}
	if req.TypeName == positionassessment.TypeName {
		positionassessment.Load(c.Run, req.RawState.JSON)
	}
	changed, err := c.Privacy.Clean(object)
	if err == nil && changed {
		req.RawState.JSON, err = json.Marshal(object)
	}
	if err != nil {
		return nil, err
	}
	return s.Server.UpgradeResourceState(ctx, req)
}
