// SPDX-License-Identifier: MPL-2.0

// Package provider is the glue between Terraform and the assessment service:
// schemas, plans, state. It builds no URL, never sleeps and never reads a
// header.
//
// Everything that lives for one walk (one plan, one apply) hangs on the [walk]
// that Configure makes: client, kept lists, what was planned. A noun of the
// service has a model (pure mapping), a resource or data source, and a file of
// the client; position_assessment is the one with everything.
package provider
