// SPDX-License-Identifier: MPL-2.0

package adopt

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

// letters are those that no decomposition turns into an ASCII letter.
var letters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
)

// identifierPart returns the ASCII letters and digits of a text without accents, in lower case, and with an underscore
// between two words.
func identifierPart(text string) string {
	var name strings.Builder
	separate := false
	for _, r := range norm.NFD.String(letters.Replace(strings.ToLower(text))) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if separate && name.Len() > 0 {
				name.WriteByte('_')
			}
			separate = false
			name.WriteRune(r)
		default:
			separate = true
		}
	}
	return name.String()
}
