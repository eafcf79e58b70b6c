// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestLastLine(t *testing.T) {
	t.Parallel()
	const pkg = `"Package":"github.com/assessascode/terraform-provider-assess/internal/catalog"`
	for name, c := range map[string]struct {
		events string
		failed bool
		want   string // the last line
		lacks  string
		lists  []string // lines before it, below "Failed:"
	}{
		"passed": {
			`{"Action":"start",` + pkg + `}
{"Action":"output",` + pkg + `,"Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass",` + pkg + `,"Test":"TestA"}
{"Action":"pass",` + pkg + `,"Elapsed":1.5}`,
			false, `PASSED: 1 tests in 1 packages, 0s`, "=== RUN", nil,
		},
		"subtest": {
			`{"Action":"output",` + pkg + `,"Test":"TestA/b's_(c)/d","Output":"    a_test.go:1: no\n"}
{"Action":"fail",` + pkg + `,"Test":"TestA/b's_(c)/d"}
{"Action":"fail",` + pkg + `,"Test":"TestA/b's_(c)"}
{"Action":"fail",` + pkg + `,"Test":"TestA"}
{"Action":"output",` + pkg + `,"Output":"FAIL\n"}
{"Action":"fail",` + pkg + `,"Elapsed":1.5}`,
			true, `FAILED after 0s: TestA/b's_(c)/d of ./internal/catalog. Repeat it with: ` +
				`go test -count=1 ./internal/catalog -run '^TestA$/^b'\''s_\(c\)$/^d$'`, "FAIL\n", nil,
		},
		"seed in the output": {
			`{"Action":"output",` + pkg + `,"Test":"TestSimulation/0","Output":"seed 12 (FIRST=12 SEEDS=1):\n"}
{"Action":"fail",` + pkg + `,"Test":"TestSimulation/0"}
{"Action":"fail",` + pkg + `,"Test":"TestOther"}
{"Action":"fail",` + pkg + `}`,
			true, `FAILED after 0s: TestSimulation/0 of ./internal/catalog, FIRST=12 SEEDS=1 (and 1 more). Repeat it with: ` +
				`FIRST=12 SEEDS=1 go test -count=1 ./internal/catalog -run '^TestSimulation$'`, "",
			[]string{
				"  TestSimulation/0 of ./internal/catalog, FIRST=12 SEEDS=1",
				"    FIRST=12 SEEDS=1 go test -count=1 ./internal/catalog -run '^TestSimulation$'",
				"  TestOther of ./internal/catalog", "    go test -count=1 ./internal/catalog -run '^TestOther$'",
			},
		},
		"seed in the name": {
			`{"Action":"fail",` + pkg + `,"Test":"TestA/OpenTofu,_seed_3"}
{"Action":"fail",` + pkg + `}`,
			true, `FAILED after 0s: TestA/OpenTofu,_seed_3 of ./internal/catalog, seed_3. Repeat it with: ` +
				`go test -count=1 ./internal/catalog -run '^TestA$/^OpenTofu,_seed_3$'`, "", nil,
		},
		"panic": {
			`{"Action":"output",` + pkg + `,"Test":"TestA","Output":"panic: no\n"}
{"Action":"fail",` + pkg + `}`,
			true, `FAILED after 0s: TestA of ./internal/catalog. Repeat it with: go test -count=1 ./internal/catalog -run '^TestA$'`, "", nil,
		},
		"timeout": {
			`{"Action":"output",` + pkg + `,"Test":"TestA","Output":"panic: test timed out after 1h0m0s\n"}
{"Action":"output",` + pkg + `,"Test":"TestA","Output":"\trunning tests:\n\t\tTestB/c (59m1s)\n"}
{"Action":"fail",` + pkg + `}`,
			true, `FAILED after 0s: TestB/c of ./internal/catalog. Repeat it with: go test -count=1 ./internal/catalog -run '^TestB$/^c$'`, "", nil,
		},
		"does not compile": {
			`{"Action":"build-output","ImportPath":"x","Output":"a.go:1: no\n"}
{"Action":"fail",` + pkg + `}`,
			true, `FAILED after 0s: the package of ./internal/catalog. Repeat it with: go test -count=1 ./internal/catalog`, "", nil,
		},
		"go fails": {`{"Action":"build-output","Output":"go: no\n"}`, true, `FAILED after 0s: it did not compile, or did not start`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			r := newReport("go test", ".", &out)
			for line := range strings.Lines(c.events) {
				var e event
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatal(err)
				}
				r.add(e)
			}
			if r.end(c.failed) != c.failed {
				t.Errorf("failed is %t", !c.failed)
			}
			all := strings.Split(strings.TrimSpace(out.String()), "\n")
			last := regexp.MustCompile(`\b\d+s\b`).ReplaceAllString(all[len(all)-1], "0s")
			if last != c.want || c.lacks != "" && strings.Contains(out.String(), c.lacks) {
				t.Errorf("printed\n%s\nwant the last line\n%s", &out, c.want)
			}
			var lists []string
			if i := slices.Index(all, "Failed:"); i >= 0 {
				lists = all[i+1 : len(all)-1]
			}
			if !slices.Equal(lists, c.lists) {
				t.Errorf("printed\n%s\nwant the lines\n%s", &out, strings.Join(c.lists, "\n"))
			}
		})
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := newReport("go test", ".", &out)
	r.progress()
	r.add(event{Action: "start", Package: module + "/internal/catalog"})
	r.progress()
	if got := out.String(); !strings.Contains(got, "compiling") || !strings.Contains(got, "running ./internal/catalog") {
		t.Error(got)
	}
}
