// SPDX-License-Identifier: MPL-2.0

package main_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "terraform-provider-assess")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-X main.version=1.2.3", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, flag := range []string{"-version", "--version"} {
		out, err := exec.CommandContext(t.Context(), program, flag).CombinedOutput()
		if err != nil || string(out) != "terraform-provider-assess 1.2.3\n" {
			t.Errorf("%s: %v, printed %q", flag, err, out)
		}
	}
}
