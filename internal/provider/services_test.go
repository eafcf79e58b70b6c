// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// anyAssessment is a configuration that sends a request.
const anyAssessment = "\ndata \"assess_assessment\" \"any\" { code = \"LMN\" }\n"

func TestMain(m *testing.M) { clitest.Main(m) }

// unlimited starts a service without rate limits.
func unlimited(t *testing.T) *sandboxtest.Server {
	t.Helper()
	return sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
}
