// SPDX-License-Identifier: MPL-2.0

// Package provider contains the provider block, its settings, and the protocol server. It registers the resources, data
// sources, functions and actions, which are in other packages. Configure starts a run, which is one plan or one apply.
package provider
