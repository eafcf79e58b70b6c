// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var built struct {
	once sync.Once
	dir  string
	err  error
}

// provider builds the provider once and returns its path.
func provider(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "assess-comment-"); built.err == nil {
			program := filepath.Join(built.dir, "terraform-provider-assess")
			built.err = exec.CommandContext(context.Background(), "go", "build", "-o", program, "../..").Run()
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "terraform-provider-assess")
}

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(built.dir)
	os.Exit(code)
}
