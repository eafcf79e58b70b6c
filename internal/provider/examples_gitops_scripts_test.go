// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cliThatPlans makes a stand-in for the CLI whose plan is a JSON text. These tests are
// about the scripts, and the real CLI takes time.
func (r *repository) cliThatPlans(plan string) (env []string) {
	r.t.Helper()
	dir := r.t.TempDir()
	script := "#!/bin/sh\ncase \"$1 $2\" in\n\"show -json\") cat " + filepath.Join(dir, "plan.json") + " ;;\nesac\n"
	for name, text := range map[string]string{"cli": script, "plan.json": plan} {
		err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700) //nolint:gosec // an executable file
		if err != nil {
			r.t.Fatal(err)
		}
	}
	return []string{"CLI=" + filepath.Join(dir, "cli")}
}

// Without a reviewed plan, an apply does nothing. It succeeds only if there is nothing to
// import or rename either.
func TestExampleGitopsNothingToApply(t *testing.T) {
	t.Parallel()
	r := newRepository(t, false)
	r.commit("second")
	for name, c := range map[string]struct {
		change  string
		nothing bool
	}{
		"no change":     {`"address": "x", "change": {"actions": ["no-op"]}`, true},
		"null":          {`"address": "x", "previous_address": null, "change": {"actions": ["no-op"], "importing": null}`, true},
		"same address":  {`"address": "x", "previous_address": "x", "change": {"actions": ["no-op"]}`, true},
		"a data source": {`"address": "x", "mode": "data", "change": {"actions": ["read"]}`, true},
		"import":        {`"address": "x", "change": {"actions": ["no-op"], "importing": {"id": "1/1"}}`, false},
		"rename":        {`"address": "x", "previous_address": "y", "change": {"actions": ["no-op"]}`, false},
		"create":        {`"address": "x", "change": {"actions": ["create"]}`, false},
	} {
		env := r.cliThatPlans(`{"format_version": "1.2", "resource_changes": [{` + c.change + `}]}`)
		code, out := r.shell(r.checkout(r.git("rev-parse", "HEAD"), 2), []string{"ci/apply.sh"}, env)
		if (code == 0) != c.nothing || strings.Contains(out, "There is nothing to apply.") != c.nothing {
			t.Errorf("%s: the apply ended with %d:\n%s", name, code, out)
		}
	}
}

// A checkout without history is not taken for the first commit of the repository.
func TestExampleGitopsFirstCommit(t *testing.T) {
	t.Parallel()
	r := newRepository(t, false)
	env := r.cliThatPlans(`{"format_version": "1.2", "resource_changes": [{"change": {"actions": ["create"]}}]}`)
	first := r.git("rev-parse", "HEAD")
	for _, c := range []struct {
		commit  string
		depth   int
		skipped bool
	}{{first, 1, true}, {first, 2, true}, {r.commit("second"), 1, false}, {r.commit("third"), 2, false}} {
		code, out := r.shell(r.checkout(c.commit, c.depth), []string{"ci/apply.sh"}, env)
		if (code == 0) != c.skipped || strings.Contains(out, "This is the first commit.") != c.skipped {
			t.Errorf("%s with depth %d: the apply ended with %d:\n%s", c.commit, c.depth, code, out)
		}
	}
}
