// SPDX-License-Identifier: MPL-2.0

// Package gatewaytest runs the real CLI and provider against the sandbox behind real
// gateways: nginx and HAProxy.
//
// A test is the life of one configuration: apply, plan again, results, "assess check" and destroy. HAProxy gives up on
// creations, or is restarted meanwhile. In the end, the state of the sandbox must show that nothing was lost, and that
// nothing was attached twice.
package gatewaytest
