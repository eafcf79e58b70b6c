// SPDX-License-Identifier: MPL-2.0

// Package rules checks a configuration before anything is sent, and reports what the
// service would refuse. A rule is a function from a desired configuration and [Facts]
// (lists of the service) to findings. Rules do not send requests and do not use Terraform
// types.
package rules
