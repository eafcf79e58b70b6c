// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
)

// server extends the protocol server of the framework. It validates an action again before Terraform plans or invokes
// it, and it accepts null as an argument of a function.
type server struct{ callctx.Server }

// NewServer returns the protocol server of a provider.
func NewServer(p *Provider) tfprotov6.ProviderServer {
	served := providerserver.NewProtocol6(p)()
	complete, ok := served.(callctx.Server)
	if !ok {
		return served
	}
	return &server{callctx.Wrap(complete)}
}

// PlanAction validates the action again, because Terraform validates an action only before it knows the variables.
func (s *server) PlanAction(
	ctx context.Context, req *tfprotov6.PlanActionRequest,
) (*tfprotov6.PlanActionResponse, error) {
	if rejected, err := s.rejectedAction(ctx, req.ActionType, req.Config); len(rejected) > 0 || err != nil {
		return &tfprotov6.PlanActionResponse{Diagnostics: rejected}, err
	}
	return s.Server.PlanAction(ctx, req)
}

// InvokeAction validates the action again, because a value may have been unknown until now.
func (s *server) InvokeAction(
	ctx context.Context, req *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	if rejected, err := s.rejectedAction(ctx, req.ActionType, req.Config); len(rejected) > 0 || err != nil {
		return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
			push(tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: rejected}})
		}}, err
	}
	return s.Server.InvokeAction(ctx, req)
}

// rejectedAction validates the configuration of an action, and returns the diagnostics if one is an error.
func (s *server) rejectedAction(
	ctx context.Context, actionType string, config *tfprotov6.DynamicValue,
) ([]*tfprotov6.Diagnostic, error) {
	resp, err := s.ValidateActionConfig(ctx,
		&tfprotov6.ValidateActionConfigRequest{ActionType: actionType, Config: config})
	if err != nil || !slices.ContainsFunc(resp.Diagnostics, isError) {
		return nil, err
	}
	return resp.Diagnostics, nil
}

// CallFunction replaces arguments without data with null. OpenTofu 1.12 sends a null argument without data, which the
// framework rejects.
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

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }
