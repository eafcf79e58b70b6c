// SPDX-License-Identifier: MPL-2.0

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
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

// Every language has each text of the others and no other text, with the same number of places for values. No text is
// empty.
func TestLanguagesAreComplete(t *testing.T) {
	t.Parallel()
	if !slices.Equal(Languages(), []string{"de", "en", "fr"}) || wordsOf("xx") != wordsOf("en") {
		t.Errorf("the languages are %q", Languages())
	}
	english := shape(t, contents(t, "en"))
	for _, code := range Languages() {
		if got := shape(t, contents(t, code)); !reflect.DeepEqual(got, english) {
			t.Errorf("%s has the texts\n%v, and English\n%v", code, got, english)
		}
		w := reflect.ValueOf(*wordsOf(code))
		for _, field := range reflect.VisibleFields(w.Type()) {
			if field.IsExported() && w.FieldByIndex(field.Index).IsZero() {
				t.Errorf("%s has no %s", code, field.Name)
			}
		}
	}
}

// contents returns what the file of a language contains. Each member is one of words.
func contents(t *testing.T, code string) (all any) {
	t.Helper()
	text, err := languageFiles.ReadFile("languages/" + code + ".json")
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err = errors.Join(err, strict.Decode(new(words)), json.Unmarshal(text, &all)); err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return all
}

var verbs = regexp.MustCompile(`%(\[\d\])?([a-z])`)

// shape returns a value in which each text is replaced by its verbs, without their positions, which depend on the
// language.
func shape(t *testing.T, value any) any {
	t.Helper()
	switch value := value.(type) {
	case string:
		if value == "" {
			t.Error("a text is empty")
		}
		places := ""
		for _, match := range verbs.FindAllStringSubmatch(value, -1) {
			places += match[2]
		}
		return places
	case []any:
		for i := range value {
			value[i] = shape(t, value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = shape(t, value[name])
		}
	}
	return value
}
