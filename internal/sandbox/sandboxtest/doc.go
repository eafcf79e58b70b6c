// SPDX-License-Identifier: MPL-2.0

// Package sandboxtest starts fresh embedded services for tests and asks their
// journals what happened.
package sandboxtest
