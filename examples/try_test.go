// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// The commands of README.md lead from a clone to an empty plan of one's own.
func TestCommandsFromAClone(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "git", "make")
	c := clitest.NewBare(t)
	// The files that a clone of the working tree would have after a commit.
	target := filepath.Join(c.Dir, "terraform-provider-assess")
	bash(&clitest.CLI{T: t, Dir: "..", Env: c.Env}, "mkdir "+target+" && git ls-files --cached --others --exclude-standard | "+
		"while read -r file; do [ ! -e $file ] || echo $file; done | tar -cf - -T - | tar -xf - -C "+target).OK()
	goCache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	c = c.With("GOCACHE="+strings.TrimSpace(string(goCache)), "TF_CLI_CONFIG_FILE="+os.DevNull)
	onPath := c.With(pathWith(t, map[string]string{"terraform": os.Getenv("TF_ACC_TERRAFORM_PATH")}))

	clone := regexp.MustCompile("(?m)^(make try .*\n(?:.+\n)+)```$").FindStringSubmatch(clitest.ReadFile(t, "..", "README.md"))
	if clone == nil {
		t.Fatal("README.md has no commands that begin with make try")
	}
	if n := strings.Count(clone[1], "\n"); n != 6 {
		t.Errorf("README.md has %d commands that begin with make try, want 6:\n%s", n, clone[1])
	}
	output := bash(onPath, "cd terraform-provider-assess\n"+clone[1]).OK().Output
	if !clitest.MatchesAll(output, []string{`1 to add, 0 to change.*1 added, 0 changed, 0 destroyed\..*No changes\.`}) {
		t.Errorf("the commands of README.md do not end with an empty plan:\n%s", output)
	}

	// A folder keeps its configuration. A CLI that is not on PATH gets a link.
	const own = "output \"own\" { value = 1 }\n"
	c.Add("positions/main.tf", own)
	cli := filepath.Base(os.Getenv("TF_ACC_TERRAFORM_PATH"))
	hidden := filepath.Join(t.TempDir(), cli)
	if err := os.Symlink(os.Getenv("TF_ACC_TERRAFORM_PATH"), hidden); err != nil {
		t.Fatal(err)
	}
	output = bash(c.With("TF_ACC_TERRAFORM_PATH="+hidden), "make -C terraform-provider-assess try DIR=../positions").OK().Output
	clitest.Contains(t, "output of make try", output, " ./"+cli+" init\n")
	bash(c, "cd positions && ./"+cli+" version").OK()
	if text := clitest.ReadFile(t, c.Dir, "positions", "main.tf"); text != own {
		t.Errorf("make try has replaced a configuration by\n%s", text)
	}

	// A configuration with a module of the repository uses the module of the clone.
	bash(c, "cp -R terraform-provider-assess/examples/spreadsheet . && make -C terraform-provider-assess try DIR=../spreadsheet").OK()
	output = bash(onPath, "cd spreadsheet && terraform init && terraform plan").OK().Output
	clitest.Contains(t, "plan of the example in a clone", output, " 12 to add, 0 to change, 0 to destroy.")
}
