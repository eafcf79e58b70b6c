// SPDX-License-Identifier: MPL-2.0

package export

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// identifier returns a name that a configuration can use, made of the title of a position and the code of an
// assessment. If the title has no ASCII letter, it uses the ID of the position.
func identifier(title, id, code string) string {
	position := identifierPart(title)
	if !strings.ContainsFunc(position, unicode.IsLetter) {
		position = identifierPart(id)
	}
	name := cmp.Or(position, "position") + "_" + cmp.Or(identifierPart(code), "assessment")
	if !unicode.IsLetter(rune(name[0])) {
		return "position_" + name
	}
	return name
}

// letters replaces letters that Unicode decomposition does not turn into ASCII letters.
var letters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
)

// identifierPart returns the ASCII letters and digits of a text without accents, in lower case, and with an underscore
// between two words.
func identifierPart(text string) string {
	isAccent := func(r rune) bool { return unicode.Is(unicode.Mn, r) }
	isBetween := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	decomposed := norm.NFD.String(letters.Replace(strings.ToLower(text)))
	plain := strings.Join(strings.FieldsFunc(decomposed, isAccent), "")
	return strings.Join(strings.FieldsFunc(plain, isBetween), "_")
}
