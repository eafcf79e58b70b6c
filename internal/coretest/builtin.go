// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// builtin is the provider that is built into every CLI. It implements only terraform_data with string values. The
// output is unknown in a plan that changes the input. It also plays the part of other providers: its calls may take
// time, and it has a data source.
type builtin struct {
	tfprotov6.ProviderServer
	slow func()
}

const builtinType = "terraform_data"

var builtinSchema = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
	{Name: "id", Type: tftypes.String, Computed: true},
	{Name: "input", Type: tftypes.String, Optional: true},
	{Name: "output", Type: tftypes.String, Computed: true},
	{Name: "triggers_replace", Type: tftypes.String, Optional: true},
}}}

var builtinIDs atomic.Int64

func (builtin) ValidateResourceConfig(
	context.Context, *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (builtin) UpgradeResourceState(
	_ context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	v, err := r.RawState.Unmarshal(builtinSchema.ValueType())
	if err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: dynamic(v)}, nil
}

func (builtin) ReadResource(
	_ context.Context, r *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Private: r.Private}, nil
}

func (builtin) PlanResourceChange(
	_ context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	typ := builtinSchema.ValueType()
	proposed, err := r.ProposedNewState.Unmarshal(typ)
	prior, err2 := r.PriorState.Unmarshal(typ)
	if err != nil || err2 != nil {
		return nil, fmt.Errorf("decoding: %w %w", err, err2)
	}
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState}
	planned := members(proposed)
	switch unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue); {
	case proposed.IsNull():
		return resp, nil
	case prior.IsNull():
		planned["id"], planned["output"] = unknown, unknown
		if planned["input"].IsNull() {
			planned["output"] = planned["input"]
		}
	case !member(prior, "input").Equal(planned["input"]):
		planned["output"] = unknown
	}
	resp.PlannedState = dynamic(tftypes.NewValue(typ, planned))
	resp.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("triggers_replace")}
	return resp, nil
}

func (b builtin) ApplyResourceChange(
	_ context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	b.slow()
	typ := builtinSchema.ValueType()
	planned, err := r.PlannedState.Unmarshal(typ)
	if err != nil {
		return nil, err
	}
	resp := &tfprotov6.ApplyResourceChangeResponse{NewState: r.PlannedState}
	if planned.IsNull() {
		return resp, nil
	}
	after := members(planned)
	if !after["id"].IsKnown() {
		after["id"] = tftypes.NewValue(tftypes.String, fmt.Sprintf("data-%d", builtinIDs.Add(1)))
	}
	after["output"] = after["input"]
	resp.NewState = dynamic(tftypes.NewValue(typ, after))
	return resp, nil
}

func (builtin) ValidateDataResourceConfig(
	context.Context, *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

func (b builtin) ReadDataSource(
	_ context.Context, r *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	b.slow()
	typ := builtinSchema.ValueType()
	config, err := r.Config.Unmarshal(typ)
	if err != nil {
		return nil, err
	}
	read := members(config)
	read["output"], read["id"] = read["input"], tftypes.NewValue(tftypes.String, "data")
	return &tfprotov6.ReadDataSourceResponse{State: dynamic(tftypes.NewValue(typ, read))}, nil
}
