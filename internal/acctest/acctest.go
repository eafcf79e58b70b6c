// SPDX-License-Identifier: MPL-2.0

// Package acctest is what acceptance tests share: the provider, a service for it, and checks of that service.
//
// An acceptance test runs the CLI against the provider in the test process, and the provider sends its requests to the
// sandbox over HTTP. The tests are beside the code that they test, in files named *_acc_test.go. They run if TF_ACC is
// set, with the CLI in TF_ACC_TERRAFORM_PATH, or terraform on PATH (make testacc).
package acctest

import (
	"os"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

// Test runs a test case, with the provider and with [PreCheck]. Call t.Parallel first: each test has a service and a
// directory of its own.
func Test(t *testing.T, c resource.TestCase) {
	t.Helper()
	if c.ProtoV6ProviderFactories == nil {
		c.ProtoV6ProviderFactories = ProtoV6ProviderFactories(nil)
	}
	if c.PreCheck == nil {
		c.PreCheck = func() { PreCheck(t) }
	}
	resource.Test(t, c)
}

// ProtoV6ProviderFactories are the provider, which reads these environment variables instead of those of the process,
// and "echo", which copies the values of ephemeral resources into a state.
func ProtoV6ProviderFactories(env map[string]string) map[string]func() (tfprotov6.ProviderServer, error) {
	getenv := func(name string) string {
		if value, set := env[name]; set || name != "ASSESS_UNTHROTTLED" {
			return value
		}
		return "1" // the services of tests have no rate limits
	}
	return map[string]func() (tfprotov6.ProviderServer, error){
		"assess": func() (tfprotov6.ProviderServer, error) {
			return provider.NewServer(&provider.Provider{Version: "acc", Getenv: getenv}), nil
		},
		"echo": echoprovider.NewProviderServer(),
	}
}

// PreCheck skips a test unless TF_ACC is set, and fails it if there is no CLI.
func PreCheck(t *testing.T) {
	t.Helper()
	if os.Getenv(resource.EnvTfAcc) == "" {
		t.Skip("TF_ACC is not set: make testacc runs the acceptance tests")
	}
	prepare()
	if _, err := cli(); err != nil {
		t.Fatal(err)
	}
}

// prepare sets environment variables of the test process for the CLI, once.
var prepare = sync.OnceFunc(func() {
	for name, value := range map[string]string{
		// OpenTofu rejects the namespace "-", which plugin-testing uses without this. A configuration without
		// required_providers, as in some steps, has the same namespace.
		"TF_ACC_PROVIDER_NAMESPACE": "hashicorp",
		"TF_CLI_CONFIG_FILE":        os.DevNull,
		"CHECKPOINT_DISABLE":        "1",
	} {
		_ = os.Setenv(name, value) // never fails for such a name
	}
})
