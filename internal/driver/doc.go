// SPDX-License-Identifier: MPL-2.0

// Package driver calls the provider through the protocol, in one process, as Terraform does: plan and apply of a few
// resources against the sandbox. It shows what acceptance tests cannot see or do: warnings, requests, two calls at the
// same moment, responses that are held or lost, and an apply that is killed. It is no Terraform: it knows no
// expressions, modules or command lines. Only tests import it.
//
//	service := driver.NewService(t, sandbox.Options{})
//	w := driver.NewWorkspace(t, service)
//	w.Config["assess_position_assessment.a"] = driver.Resource{Values: driver.Values{"position_id": "pos-1", ...}}
//	plan := w.Plan()
//	applied := w.Apply(plan)
//
// Use it in virtual time (testing/synctest), so that waiting costs nothing.
package driver
