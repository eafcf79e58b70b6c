// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"
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

// An id that changes the direction of text does not change the direction of the sentence around it.
func TestSentencesKeepTheirDirection(t *testing.T) {
	t.Parallel()
	turned := []string{"asm-\u202e\u2067x", "y"}
	names := joined(Options{}.namer())
	if got := names(turned) + cell(turned[0]); got != "asm-x, yasm-x" {
		t.Errorf("%q", got)
	}
}
