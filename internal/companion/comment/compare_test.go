// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// base is a plan with a change of each kind, as the CLIs write it. The replacements of
// TestCompare change one thing in it.
const base = `{"format_version": "1.2", "planned_values": {}, "resource_drift": [], "resource_changes": [
  {"address": "a.create", "type": "assess_position_assessment", "change": {"actions": ["create"], "before": null,
    "after": {"position_id": "p", "tests": {"ids": ["1", "2"]}}, "after_unknown": {"id": true}, "after_sensitive": {}}},
  {"address": "a.update", "type": "assess_position_assessment", "change": {"actions": ["update"],
    "before": {"id": "u", "benchmark": {"id": "old"}, "profile_url": "https://before"},
    "after": {"id": "u", "benchmark": {"id": "new"}, "profile_url": "https://after"},
    "before_sensitive": {"profile_url": true}, "after_sensitive": {"profile_url": true}}},
  {"address": "a.both", "previous_address": "a.first", "type": "assess_position_assessment", "change": {"actions": ["update"],
    "before": {"id": "b"}, "after": {"id": "c"}, "importing": {"id": "p/b"}}},
  {"address": "a.remove", "type": "assess_position_assessment", "change": {"actions": ["delete"],
    "before": {"id": "r", "profile_status": "SUPERVISOR_TO_COMPLETE"}}},
  {"address": "a.replace", "type": "assess_position_assessment", "change": {"actions": ["delete", "create"],
    "before": {"id": "x"}, "after": {"assessment_id": "y"}}},
  {"address": "a.replace", "deposed": "12345678", "type": "assess_position_assessment", "change": {"actions": ["delete"],
    "before": {"id": "d"}}},
  {"address": "a.forget", "type": "assess_position_assessment", "change": {"actions": ["forget"], "before": {"id": "f"}}},
  {"address": "a.import", "type": "assess_position_assessment", "change": {"actions": ["no-op"], "before": {"id": "i"},
    "after": {"id": "i"}, "importing": {"id": "p/i"}}},
  {"address": "a.new", "previous_address": "a.old", "type": "assess_position_assessment", "change": {"actions": ["no-op"],
    "before": {"id": "n"}, "after": {"id": "n"}}},
  {"address": "t.list", "type": "terraform_data", "change": {"actions": ["create"], "after": {"input": ["1", "2"]}}},
  {"address": "a.same", "type": "assess_position_assessment", "change": {"actions": ["no-op"], "before": {"id": "s"},
    "after": {"id": "s"}}},
  {"address": "data.d", "mode": "data", "type": "assess_positions", "change": {"actions": ["read"], "after": {"title": "t"}}}
], "output_changes": {
  "shown": {"actions": ["create"], "after": "top secret", "after_sensitive": false},
  "later": {"actions": ["update"], "after": "new url", "after_unknown": true},
  "hidden": {"actions": ["update"], "after": "https://link", "after_sensitive": true}
}, "action_invocations": [
  {"address": "action.report.a", "config_values": {"path": "report.html"}, "lifecycle_action_trigger":
    {"triggering_resource_address": "a.create", "action_trigger_event": "AfterCreate"}}
], "deferred_changes": [], "checks": [{"address": {"kind": "check", "name": "c"}, "status": "pass"}]}`

// compared compares a changed plan with base, and with what is kept of base.
func compared(t *testing.T, from, to string) (withPlan, withKept string) {
	t.Helper()
	if from != "" && !strings.Contains(base, from) {
		t.Fatalf("the plan does not contain %q", from)
	}
	dir := folder(t, map[string]string{
		"base.json": base, "kept.json": keptOf(t, base), "now.json": strings.Replace(base, from, to, 1),
	})
	report := func(reviewed string) string {
		var out strings.Builder
		same, err := Compare(filepath.Join(dir, reviewed), filepath.Join(dir, "now.json"), &out)
		if err != nil || same == strings.Contains(out.String(), "differs") {
			t.Fatalf("same is %t, %v: %s", same, err, out.String())
		}
		return out.String()
	}
	return report("base.json"), report("kept.json")
}

// keptOf returns what is kept of a plan until it is applied.
func keptOf(t *testing.T, text string) string {
	t.Helper()
	p, err := decodePlan([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(reviewedOf(p))
}

// Plans differ if they change other things, or to other values. The kept file of a plan finds the same
// differences, except those of sensitive values.
func TestCompare(t *testing.T) {
	t.Parallel()
	const same = "makes only changes that were reviewed"
	for name, c := range map[string]struct {
		from, to string
		says     string
	}{
		"another value":             {`"id": "new"`, `"id": "newer"`, "a.update: update with values that were not reviewed"},
		"another unknown value":     {`{"id": true}`, `{"id": true, "benchmark": true}`, "a.create: create with values that were not reviewed"},
		"order of a list":           {`"input": ["1", "2"]`, `"input": ["2", "1"]`, "t.list: create with values that were not reviewed"},
		"a supervisor has finished": {"SUPERVISOR_TO_COMPLETE", "SUPERVISOR_COMPLETED", "a.remove: delete with values that were not reviewed"},
		"replaced instead": {`"actions": ["update"],
    "before"`, `"actions": ["delete", "create"],
    "before"`, "a.update: delete, create instead of the reviewed update"},
		"another deposed object": {"12345678", "87654321", "a.replace (deposed 87654321): delete was not reviewed"},
		"removed, not forgotten": {`["forget"]`, `["delete"]`, "a.forget: delete instead of the reviewed forget"},
		"another import":         {`"p/i"`, `"p/j"`, "a.import: import with values that were not reviewed"},
		"changed before the import": {
			`["no-op"], "before": {"id": "i"}`, `["update"], "before": {"id": "h"}`,
			"in 2 changes:\n  a.import: update was not reviewed\n  a.import: import with values that were not reviewed\n",
		},
		"no import":              {`, "importing": {"id": "p/i"}`, ``, same},
		"renamed from elsewhere": {`"a.old"`, `"a.older"`, "a.new: rename with values that were not reviewed"},
		"another output":         {"top secret", "secret", "output.shown: create with values that were not reviewed"},
		"another known output":   {`"top secret"`, `"secret", "after_unknown": {"a": [false]}`, "output.shown: create with values that were not reviewed"},
		"partly unknown output":  {`"top secret"`, `"secret", "after_unknown": {"a": [false, true]}`, same},
		"another action":         {"report.html", "other.html", "action.report.a AfterCreate a.create: invoke with values that were not reviewed"},
		"one more change":        {`["no-op"], "before": {"id": "s"}`, `["delete"], "before": {"id": "s"}`, "a.same: delete was not reviewed"},
		"drift":                  {`"resource_drift": []`, `"resource_drift": [{"address": "a.same", "change": {"actions": ["update"]}}]`, same},
		"a check":                {`"status": "pass"`, `"status": "fail"`, same},
		"nothing":                {"", "", same},
		"half applied":           {`["create"], "before": null`, `["no-op"], "before": null`, same},
		"renamed already":        {`"previous_address": "a.first", `, ``, same},
		"imported already":       {`, "importing": {"id": "p/b"}`, ``, same},
		"removed already": {`"actions": ["delete", "create"],
    "before": {"id": "x"}`, `"actions": ["create"], "before": null`, same},
		"not attached again": {`"actions": ["delete", "create"],
    "before": {"id": "x"}`, `"actions": ["delete"], "before": {"id": "x"}`, "a.replace: delete instead of the reviewed delete, create"},
		"another action of an output": {`"later": {"actions": ["update"]`, `"later": {"actions": ["create"]`, "output.later: create instead of the reviewed update"},
		"changed otherwise":           {`"after": {"id": "c"}`, `"after": {"id": "d"}`, "in 1 change:\n  a.both: update with values that were not reviewed\n"},
		"an output that becomes known": {
			`"after": "new url", "after_unknown": true`, `"after": "new url", "after_unknown": false`, same,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withPlan, withKept := compared(t, c.from, c.to)
			if withPlan != withKept || !strings.Contains(withPlan, c.says) {
				t.Errorf("with the plan: %swith what is kept of it: %swant %q", withPlan, withKept, c.says)
			}
		})
	}
	for from, says := range map[string]string{
		"https://after": "a.update: update with values that were not reviewed", "https://link": "output.hidden: update with values that were not reviewed",
	} {
		withPlan, withKept := compared(t, from, "https://other")
		if !strings.Contains(withPlan, says) || !strings.Contains(withKept, same) {
			t.Errorf("%s: with the plan: %swith what is kept of it: %s", from, withPlan, withKept)
		}
	}
}

// Addresses and actions are all that can be read from what is kept of a plan. A sensitive value is in
// no digest, and equal plans have different digests.
func TestKeptPlanHasNoValues(t *testing.T) {
	t.Parallel()
	kept := keptOf(t, base)
	for _, value := range []string{"top secret", "https://", "SUPERVISOR", "old\"", "position_id", "report.html"} {
		if strings.Contains(kept, value) {
			t.Errorf("%q is in\n%s", value, kept)
		}
	}
	lines := map[string]bool{}
	for line := range strings.Lines(kept) {
		lines[line] = strings.Contains(line, `"digest": "`)
	}
	for line := range strings.Lines(keptOf(t, base)) {
		if lines[line] {
			t.Errorf("two files have the digest %s", line)
		}
	}
	dir := folder(t, map[string]string{
		"kept": kept, "now": strings.NewReplacer("https://after", "x", "https://before", "y").Replace(base),
	})
	var out strings.Builder
	if same, err := Compare(filepath.Join(dir, "kept"), filepath.Join(dir, "now"), &out); err != nil || !same {
		t.Errorf("sensitive values are in digests: %v, %s", err, out.String())
	}
}

// A reviewed plan can be the output of another program, as in "assess compare <(tofu show -json reviewed.bin)".
func TestCompareWithPipe(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no /dev/fd")
	}
	reviewed, program, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reviewed.Close() })
	if _, err := program.WriteString(base); err != nil || program.Close() != nil {
		t.Fatal(err)
	}
	now := filepath.Join(folder(t, map[string]string{"now": base}), "now")
	same, err := Compare(fmt.Sprintf("/dev/fd/%d", reviewed.Fd()), now, io.Discard)
	if err != nil || !same {
		t.Errorf("same is %t, %v", same, err)
	}
}

// PowerShell 5.1 redirects the output of a CLI to a file in UTF-16.
func TestFilesOfPowerShell(t *testing.T) {
	t.Parallel()
	utf16 := func(text string) string {
		return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00"
	}
	message := event(t, "warning", "Well", "Detail", "")
	dir := folder(t, map[string]string{
		"plan.json": utf16(base), "plan.jsonl": utf16(message), "plan.txt": utf16("whole"), "bom.json": "\ufeff" + base,
	})
	for _, pair := range [][2]string{{"plan.json", "bom.json"}, {"bom.json", "plan.json"}} {
		same, err := Compare(filepath.Join(dir, pair[0]), filepath.Join(dir, pair[1]), io.Discard)
		if err != nil || !same {
			t.Errorf("%v: same is %t, %v", pair, same, err)
		}
	}
	var out strings.Builder
	if _, err := Write(Options{Kind: "plan", Dir: dir, Limit: DefaultLimit}, &out); err != nil {
		t.Fatal(err)
	}
	says(t, out.String(), "### Plan: ", "\n    Well\n", "\n    whole\n")
}

// What is not a plan, is missing, or has failed, is never equal. A reviewed change without a digest allows no other one.
func TestCompareRejects(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"plan":  planned(change("x", `"create"`, "null", `{"position_id": "p"}`)),
		"empty": "", "object": "{}", "garbage": "x", "half": base[:500], "null": "null",
		"failed": `{"format_version": "1.2", "planned_values": {}, "errored": true}`, "foreign": `{"format": "assess-reviewed-2", "changes": []}`,
		"no state": `{"format_version": "1.0"}`,
		"state":    `{"format_version": "1.0", "terraform_version": "1.9.0", "values": {"root_module": {}}}`,
		"forged":   `{"format": "assess-reviewed-1", "changes": [{"address": "x", "actions": ["create"]}]}`,
	})
	for _, name := range []string{"empty", "object", "garbage", "half", "null", "failed", "foreign", "missing", "state", "no state", "forged"} {
		for _, pair := range [][2]string{{name, "plan"}, {"plan", name}, {name, name}} {
			same, err := Compare(filepath.Join(dir, pair[0]), filepath.Join(dir, pair[1]), &strings.Builder{})
			if same || err == nil && pair != [2]string{"forged", "plan"} {
				t.Errorf("%v: same is %t, %v", pair, same, err)
			}
		}
	}
}
