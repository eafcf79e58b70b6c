// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Schemas are the schemas of a provider. Like a CLI, a core reads them once, and several cores can share them.
type Schemas struct {
	*tfprotov6.GetProviderSchemaResponse
	identities map[string]*tfprotov6.ResourceIdentitySchema
	types      map[*tfprotov6.Schema]tftypes.Type // of the provider, its resources and its data sources
}

// ReadSchemas reads the schemas of a provider.
func ReadSchemas(ctx context.Context, server tfprotov6.ProviderServer) (*Schemas, error) {
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	all, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	s := &Schemas{all, identities.IdentitySchemas, map[*tfprotov6.Schema]tftypes.Type{}}
	s.types[builtinSchema], s.types[all.Provider] = builtinSchema.ValueType(), all.Provider.ValueType()
	for _, schemas := range []map[string]*tfprotov6.Schema{all.ResourceSchemas, all.DataSourceSchemas} {
		for _, schema := range schemas {
			s.types[schema] = schema.ValueType()
		}
	}
	return s, nil
}

// readSchemas sets Schemas if it is nil.
func (c *Core) readSchemas(ctx context.Context) {
	if c.Schemas != nil {
		return
	}
	server, err := c.Start("")
	if err == nil {
		c.Schemas, err = ReadSchemas(ctx, server)
	}
	if err != nil {
		panic(err) // every provider has schemas
	}
}
