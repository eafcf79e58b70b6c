// SPDX-License-Identifier: MPL-2.0

// Package provider contains the provider block, its settings, and the protocol server. It registers the nouns, which
// are in packages of their own. Configure starts a run, which is one plan or one apply.
package provider
