// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// builtIn is the directory of the programs that the tests have built.
var builtIn = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "assess-built-") })

// Main runs the tests of a package, and deletes the programs that they have built. Call it in TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if dir, err := builtIn(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// Version is the version of the provider that the tests run.
const Version = "1.2.3"

var (
	buildProvider  = sync.OnceValues(func() (string, error) { return build("terraform-provider-assess", "version", "") })
	buildCompanion = sync.OnceValues(func() (string, error) { return build("assess", "buildVersion", "/cmd/assess") })
)

// ProviderBinary returns the path of the provider, which each package that needs it builds once, as in a release.
func ProviderBinary(t *testing.T) string { return binary(t, buildProvider) }

// CompanionBinary returns the path of the companion, which is built in the same way.
func CompanionBinary(t *testing.T) string { return binary(t, buildCompanion) }

func binary(t *testing.T, build func() (string, error)) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatalf("building the program: %v", err)
	}
	return path
}

// build builds a program of this module with the flags of .goreleaser.yml that set its version.
func build(name, versionVariable, folder string) (path string, err error) {
	dir, dirErr := builtIn()
	module, goErr := exec.CommandContext(context.Background(), "go", "env", "GOMOD").Output()
	text, readErr := os.ReadFile(filepath.Join(filepath.Dir(string(module)), ".goreleaser.yml"))
	if err := errors.Join(dirErr, goErr, readErr); err != nil {
		return "", err
	}
	flags := regexp.MustCompile(`ldflags: \['(.* -X main\.` + versionVariable + `=.*?)\{\{ if`).FindSubmatch(text)
	if flags == nil {
		return "", errors.New(".goreleaser.yml does not set main." + versionVariable)
	}
	path = filepath.Join(dir, name)
	build := exec.CommandContext(context.Background(), "go", "build", "-trimpath",
		"-ldflags="+strings.ReplaceAll(string(flags[1]), "{{ .Version }}", Version), "-o", path,
		"github.com/assessascode/terraform-provider-assess"+folder)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
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
