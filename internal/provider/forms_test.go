// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// TestForms checks SEEDS forms, starting with seed FIRST. A service that writes the same data in
// another form gives the same values as in the form of the contract, or an error or a warning. It
// reports the simplest form that still fails.
func TestForms(t *testing.T) {
	t.Parallel()
	plain := map[bool]*observed{}
	for _, numeric := range []bool{false, true} {
		plain[numeric] = observing(t, sandboxtest.Assumptions{}, numeric, 0)
		for name, failed := range plain[numeric].failed {
			t.Fatalf("%s failed with the form of the contract: %s", name, failed)
		}
	}
	sandboxtest.EachSeed(t, 1000, 200, func(t *testing.T, seed uint64) string {
		fails := func(form sandboxtest.Assumptions) string {
			numeric := form.Form.IDs != ""
			differences := plain[numeric].differences(observing(t, form, numeric, seed),
				unreadable(form), isInterrupted(seed))
			return strings.Join(differences, "\n")
		}
		form := sandboxtest.RandomForm(seed)
		why := fails(form)
		if why == "" {
			return ""
		}
		form, why = simplest(form, why, fails)
		return fmt.Sprintf("with %s\n%s", form, why)
	})
}

// simplest drops fields of a form as long as it still fails.
func simplest(
	form sandboxtest.Assumptions, why string, fails func(sandboxtest.Assumptions) string,
) (sandboxtest.Assumptions, string) {
	for _, simpler := range form.Simpler() {
		if again := fails(simpler); again != "" {
			return simplest(simpler, again, fails)
		}
	}
	return form, why
}

// observing is observe in virtual time.
func observing(t *testing.T, form sandboxtest.Assumptions, numeric bool, seed uint64) (o *observed) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { o = observe(t, form, numeric, seed) })
	return o
}

// unreadable reports whether the provider cannot know some values of a form, because the service
// does not show them, or writes them in a form that cannot be read. Then it must say so.
func unreadable(a sandboxtest.Assumptions) bool {
	f := a.Form
	return slices.Contains([]string{"more", "cursor", "page.last", "total", "pages"}, f.Paging) ||
		f.Charset == "latin1 declared as unknown" ||
		f.Compression != "" && f.Compression != "gzip" ||
		f.Ignored == "fields" || f.Ignored == "filters" || f.Refused == "fields" || f.Refused == "filters"
}

// differences says what is wrong, and which values differ from those of the plain form. If some
// cannot be read, it is enough that an error or a warning says so.
// After an episode of a gateway, this is also so for all runs but the reads, which came before it.
func (o *observed) differences(other *observed, unreadable, interrupted bool) []string {
	all := slices.Clone(other.wrong)
	for _, name := range slices.Sorted(maps.Keys(other.failed)) {
		if !unreadable && (!interrupted || strings.HasPrefix(name, "reads: ")) {
			all = append(all, name+" failed: "+other.failed[name][0])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		run, _, _ := strings.Cut(name, ": ")
		value, found := other.values[name]
		_, failed := other.failed[name]
		_, runFailed := other.failed[run+": run"]
		_, applyFailed := other.failed["apply: run"]
		_, ran := other.warnings[run]
		switch {
		case !ran: // not with this seed
		case failed, !found && runFailed, applyFailed && run == "second plan":
		case !found:
			all = append(all, name+" is missing")
		default:
			lost := lost(name, o.values[name], value)
			mustBeEqual := !unreadable && (!interrupted || run == "reads")
			if mustBeEqual || len(other.warnings[run]) <= len(o.warnings[run]) {
				all = append(all, lost...)
			}
		}
	}
	return all
}

// createdID is an ID that depends on the order of creations.
var createdID = regexp.MustCompile(`pas-\d{4}`)

var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)`)

// lost returns where two values differ. Null and "" are equal, and so are spellings of one time.
// Members that only the form has may be added.
func lost(path string, plain, other any) []string {
	if plain == nil && strings.HasSuffix(path, ".extra_json") {
		return nil
	}
	switch plain.(type) {
	case string, json.Number:
		if plain == other { // as most are
			return nil
		}
	}
	if jsonText, ok := plain.(string); ok && strings.HasSuffix(path, ".extra_json") {
		text, _ := other.(string)
		var a, b any
		if json.Unmarshal([]byte(jsonText), &a) != nil || json.Unmarshal([]byte(text), &b) != nil {
			return []string{fmt.Sprintf("%s is %q, want %q", path, text, jsonText)}
		}
		return lost(path+".parsed", a, b)
	}
	switch plain := plain.(type) {
	case map[string]any:
		object, _ := other.(map[string]any)
		var all []string
		for _, name := range slices.Sorted(maps.Keys(plain)) {
			all = append(all, lost(path+"."+name, plain[name], object[name])...)
		}
		return all
	case []any:
		list, _ := other.([]any)
		if len(list) != len(plain) {
			return []string{fmt.Sprintf("%s has %d elements, want %d", path, len(list), len(plain))}
		}
		var all []string
		for i := range plain {
			all = append(all, lost(fmt.Sprintf("%s[%d]", path, i), plain[i], list[i])...)
		}
		return all
	}
	if a, b := canonical(path, plain), canonical(path, other); a != b {
		return []string{fmt.Sprintf("%s is %s, want %s", path, b, a)}
	}
	return nil
}

// canonical writes a value in one way.
func canonical(path string, value any) string {
	number, isNumber := value.(json.Number)
	text, isText := value.(string)
	switch {
	case strings.HasSuffix(path, ".self_link"), strings.HasSuffix(path, ".raw_json"):
		return "" // they show what the service wrote
	case value == nil, isText && text == "":
		return "null"
	case isNumber:
		if n, _, err := big.ParseFloat(number.String(), 10, 512, big.ToNearestEven); err == nil {
			return n.Text('g', -1)
		}
	case isText:
		text = createdID.ReplaceAllString(text, "pas-new")
		return timestamp.ReplaceAllStringFunc(text, func(text string) string {
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				return text
			}
			return at.UTC().Truncate(time.Second).Format(time.RFC3339)
		})
	}
	return fmt.Sprint(value)
}
