// SPDX-License-Identifier: MPL-2.0

// Package gatewaytest runs the real CLI and provider against the sandbox behind real
// gateways: nginx and HAProxy.
//
// A test is the life of one configuration: plan, apply, plan again, results, "assess check" and destroy. HAProxy gives
// up on creations, or is reloaded meanwhile. After each step, the state of the sandbox must show that nothing is lost,
// attached twice, or dropped from the state while it exists. The journal must show that every request came through the gateway.
package gatewaytest
