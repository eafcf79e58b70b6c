// SPDX-License-Identifier: MPL-2.0

// Package rules knows what the service refuses, and says it before anything is
// sent. A rule is a function from a desired configuration and facts (lists that
// are fetched only when a rule asks for them) to findings. Rules send nothing
// themselves and have no Terraform types.
package rules
