// SPDX-License-Identifier: MPL-2.0

package report

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDates(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	later := time.Date(2021, time.December, 11, 0, 0, 0, 0, time.UTC)
	for code, want := range map[string][4]string{
		"en": {"Mar 1, 2026", "March 1, 2026", "Dec 11, 2021", "December 11, 2021"},
		"de": {"01.03.2026", "1. März 2026", "11.12.2021", "11. Dezember 2021"},
		"fr": {"01/03/2026", "1er mars 2026", "11/12/2021", "11 décembre 2021"},
	} {
		w := wordsOf(code)
		got := [4]string{w.shortDate(first), w.longDate(first), w.shortDate(later), w.longDate(later)}
		if got != want || dated("last week", w.longDate) != "last week" {
			t.Errorf("%s: %q, want %q, and %q", code, got, want, dated("last week", w.longDate))
		}
	}
}

// Every language has each text of the others and no other text, with the same number of places for values.
func TestLanguagesAreComplete(t *testing.T) {
	t.Parallel()
	if got := Languages(); !slices.Equal(got, []string{"de", "en", "fr"}) {
		t.Errorf("the languages are %q", got)
	}
	if wordsOf("xx") != wordsOf("en") {
		t.Error("an unknown language does not result in English")
	}
	english := texts(t, "en")
	fields := []string{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[words]()) {
		if field.IsExported() {
			fields = append(fields, strings.ToLower(field.Name[:1])+field.Name[1:])
		}
	}
	for _, code := range Languages() {
		all := texts(t, code)
		if got, want := slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(english)); !slices.Equal(got, want) {
			t.Errorf("%s has the texts %q, and English %q", code, got, want)
		}
		members := map[string]bool{}
		for name, text := range all {
			member, _, _ := strings.Cut(name, ".")
			members[member] = true
			if text == "" {
				t.Errorf("%s: %s is empty", code, name)
			}
			if got, want := places(text), places(english[name]); !slices.Equal(got, want) {
				t.Errorf("%s: %q has the places %q, and English %q", code, text, got, want)
			}
		}
		if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, slices.Sorted(slices.Values(fields))) {
			t.Errorf("%s has the members %q, and the Go type %q", code, got, fields)
		}
	}
}

// texts returns all texts of a language, by names such as "groups.ranked" and "months.a".
func texts(t *testing.T, code string) map[string]string {
	t.Helper()
	file, err := languageFiles.ReadFile("languages/" + code + ".json")
	var members any
	if err == nil {
		err = json.Unmarshal(file, &members)
	}
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	all := map[string]string{}
	var collect func(name string, value any)
	collect = func(name string, value any) {
		switch value := value.(type) {
		case string:
			all[strings.TrimPrefix(name, ".")] = value
		case []any:
			for i, element := range value {
				collect(name+"."+string(rune('a'+i)), element)
			}
		case map[string]any:
			for key, member := range value {
				collect(name+"."+key, member)
			}
		default:
			t.Errorf("%s: %s is %v, which is no text", code, name, value)
		}
	}
	collect("", members)
	return all
}

var verbs = regexp.MustCompile(`%(\[\d\])?([a-z])`)

// places returns the verbs of a format without their positions, which depend on the language.
func places(text string) (all []string) {
	for _, match := range verbs.FindAllStringSubmatch(text, -1) {
		all = append(all, match[2])
	}
	return all
}
