// SPDX-License-Identifier: MPL-2.0

// Package contract contains tests that compare api/openapi.yaml with the provider, with
// the embedded service, and with programs that others wrote: libopenapi-validator, Prism
// and Redocly. It is a module of its own, so that they are not dependencies of the
// provider.
package contract
