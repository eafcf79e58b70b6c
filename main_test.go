// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// The provider has two flags. Everything that people do is in the companion.
func TestFlags(t *testing.T) {
	t.Parallel()
	program := clitest.ProviderBinary(t)
	for _, row := range []struct {
		flag   string
		code   int
		prints string
	}{
		{"-version", 0, "terraform-provider-assess " + clitest.Version + "\n"},
		{"-report", 2, "flag provided but not defined: -report"},
		{"report", 2, `"report" is not a flag. The commands for people are in another program, assess` + "\n"},
		{"-h", 0, "Usage of"},
	} {
		run := exec.CommandContext(t.Context(), program, row.flag)
		out, err := run.CombinedOutput()
		if got := run.ProcessState.ExitCode(); got != row.code || !strings.Contains(string(out), row.prints) {
			t.Errorf("%s: %v, exit code %d, want %d; printed\n%s", row.flag, err, got, row.code, out)
		}
		if row.flag == "-h" && strings.Count(string(out), "\n  -") != 2 {
			t.Errorf("there are not two flags:\n%s", out)
		}
	}
}

// Without TF_LOG, the CLI discards the logs of a provider, so the provider logs nothing.
func TestLogsOnlyOnRequest(t *testing.T) {
	for variable, level := range map[string]string{"TF_LOG=": "OFF", "TF_LOG=TRACE": "", "TF_LOG_PROVIDER=INFO": "", "TF_LOG_SDK_PROTO=DEBUG": "", "TF_LOG_PATH=a=": ""} {
		t.Run(variable, func(t *testing.T) {
			for _, name := range []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_ASSESS"} {
				t.Setenv(name, "")
			}
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
			if err := dropUnreadLogs(); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"TF_LOG_SDK", "TF_LOG_PROVIDER_ASSESS"} {
				if got := os.Getenv(name); got != level {
					t.Errorf("%s is %q, want %q", name, got, level)
				}
			}
		})
	}
}
