// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A table of a spreadsheet with 40 rows and all kinds of assessments becomes positions through one module. Its dynamic
// blocks do not mention all arguments, so that none of them is certain in a validation.
func TestTable(t *testing.T) {
	t.Parallel()
	kinds := []string{ // assessment, packages, benchmark, profile, tests
		`asm-quartet,pkg-problem-solving pkg-numerical-reasoning,,,`,
		`"asm-lumen",,bmk-lumen-graduates-en-gb,,`,
		`asm-northlight,,,prf-customer-first,`,
		`asm-workbench,,,,"skt-sql skt-go"`,
		`asm-facet,,,,`,
	}
	rows := []string{"position,assessment,packages,benchmark,profile,tests"}
	for i := range 40 {
		rows = append(rows, fmt.Sprintf("pos-%04d,%s", i/len(kinds), kinds[i%len(kinds)]))
	}
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.Seed = smallState })
	c := clitest.New(t, service)
	if err := os.CopyFS(c.Dir, os.DirFS(filepath.Join("testdata", "TestTable"))); err != nil {
		t.Fatal(err)
	}
	write := func() { c.Add("positions.csv", "\ufeff"+strings.Join(rows, "\r\n")+"\r\n") }
	address := func(key string) string {
		return fmt.Sprintf("module.positions.assess_position_assessment.all[%q]", key)
	}

	write()
	c.Human("get").OK()
	c.Human("validate").OK()
	if n := len(c.Plan().OK().Quiet().Changes); n != 41 {
		t.Errorf("the plan has %d changes, want 40 position assessments and an activation", n)
	}
	service.NoWrites(t)
	c.Apply().OK().Quiet()
	service.AssertCount(t, http.MethodPost, "", 40)
	c.Plan().Empty().Quiet()

	rows[2] = strings.Replace(rows[2], "graduates", "engineers", 1)
	write()
	c.Plan().Quiet().Plans("update " + address("pos-0000 asm-lumen"))
	rows = append(rows[:40], rows[41:]...) // the last row
	write()
	service.ResetJournal()
	c.Apply().Quiet().Plans("update "+address("pos-0000 asm-lumen"), "delete "+address("pos-0007 asm-facet"))
	if n := len(service.Writes()); n != 2 {
		t.Errorf("a cell and a row sent %d writes, want 2", n)
	}
	c.Plan().Empty().Quiet()
}
