// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"
)

// Every language has all texts, with the same verbs.
func TestLanguagesAreComplete(t *testing.T) {
	t.Parallel()
	verbs := regexp.MustCompile(`%[a-z]`)
	english := reflect.ValueOf(english)
	for code, w := range languages {
		words := reflect.ValueOf(*w)
		for i := range words.NumField() {
			name, field := words.Type().Field(i).Name, words.Field(i)
			if field.IsZero() {
				t.Errorf("%s: no %s", code, name)
			}
			if field.Kind() == reflect.Map && !slices.Equal(keys(field), keys(english.Field(i))) {
				t.Errorf("%s: %s has %q, and in English %q", code, name, keys(field), keys(english.Field(i)))
			}
			if got, want := fmt.Sprint(field), fmt.Sprint(english.Field(i)); field.Kind() != reflect.Func &&
				!slices.Equal(verbs.FindAllString(got, -1), verbs.FindAllString(want, -1)) {
				t.Errorf("%s: %s is %q, and in English %q", code, name, got, want)
			}
		}
		if w.tag != code || len(w.Legend) != len(languages["en"].Legend) {
			t.Errorf("%s: tag %q, %d terms", code, w.tag, len(w.Legend))
		}
	}
	if got := Languages(); !slices.Equal(got, []string{"de", "en", "fr"}) {
		t.Errorf("the languages are %q", got)
	}
	if wordsOf("xx") != wordsOf("en") {
		t.Error("an unknown language does not result in English")
	}
}

func keys(texts reflect.Value) (all []string) {
	for _, key := range texts.MapKeys() {
		all = append(all, key.String())
	}
	slices.Sort(all)
	return all
}

func TestDates(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	for code, want := range map[string][2]string{
		"en": {"Mar 1, 2026", "March 1, 2026"}, "de": {"01.03.2026", "1. März 2026"}, "fr": {"01/03/2026", "1er mars 2026"},
	} {
		w := wordsOf(code)
		if w.shortDate(first) != want[0] || w.longDate(first) != want[1] {
			t.Errorf("%s: %q and %q", code, w.shortDate(first), w.longDate(first))
		}
		if w.longDay("last week") != "last week" {
			t.Errorf("%s: text that is not a date was changed", code)
		}
	}
}

// An id that changes the direction of text does not change the direction of the sentence around it.
func TestSentencesKeepTheirDirection(t *testing.T) {
	t.Parallel()
	turned := []string{"asm-\u202e\u2067x", "y"}
	names := joined(Options{}.namer())
	if got := names(turned) + cell(turned[0]); got != "asm-x, yasm-x" {
		t.Errorf("%q", got)
	}
}

func TestRoundSteps(t *testing.T) {
	t.Parallel()
	for width, want := range map[float64]float64{0.9: 1, 1: 1, 1.1: 2, 8.2: 10, 0.03: 0.05, 0: 0, -1: 0, 1.7e308: 0} {
		if got := roundStep(width); got < want*0.999 || got > want*1.001 {
			t.Errorf("the step for %v is %v, want %v", width, got, want)
		}
	}
}
