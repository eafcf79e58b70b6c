// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// builtIn is the directory of the provider that the tests have built, or empty.
var builtIn string

// Main runs the tests of a package, and deletes the provider that they have built. Call it in TestMain.
func Main(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(builtIn)
	os.Exit(code)
}

// Version is the version of the provider that the tests run.
const Version = "1.2.3"

var buildProvider = sync.OnceValues(func() (path string, err error) {
	if builtIn, err = os.MkdirTemp("", "assess-provider-"); err != nil {
		return "", err
	}
	path = filepath.Join(builtIn, "terraform-provider-assess")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -X main.version="+Version, "-o", path,
		"github.com/assessascode/terraform-provider-assess")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in a release
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// ProviderBinary returns the path of the provider. make test-all has built it for all packages. Without it, each
// package builds it once.
func ProviderBinary(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("ASSESS_TEST_PROVIDER"); path != "" {
		return path
	}
	path, err := buildProvider()
	if err != nil {
		t.Fatalf("building the provider: %v", err)
	}
	return path
}

// ProviderMirror makes a mirror with the provider for both registries and returns the
// CLI configuration for it.
func ProviderMirror(t *testing.T) string {
	t.Helper()
	mirror := t.TempDir()
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(mirror, host, "assessascode", "assess", "0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(ProviderBinary(t), filepath.Join(folder, "terraform-provider-assess")); err != nil {
			t.Fatal(err)
		}
	}
	rc := filepath.Join(mirror, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror { path = %q }\n}\n", mirror)
	if err := os.WriteFile(rc, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return rc
}
