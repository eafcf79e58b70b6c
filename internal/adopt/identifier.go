// SPDX-License-Identifier: MPL-2.0

package adopt

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// identifier returns a name that a configuration can use, made of the title of a position and the code of an
// assessment.
func identifier(title, code string) string {
	name := cmp.Or(identifierPart(title), "position") + "_" + cmp.Or(identifierPart(code), "assessment")
	if first := []rune(name)[0]; !unicode.IsLetter(first) {
		return "position_" + name
	}
	return name
}

// letters are those that no decomposition turns into a letter of ASCII.
var letters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
)

// identifierPart returns a text without accents, in lower case, and with an underscore between two words. Letters of
// other alphabets stay, with their vowel signs.
func identifierPart(text string) string {
	var name strings.Builder
	separate := false
	for _, r := range norm.NFD.String(letters.Replace(strings.ToLower(text))) {
		switch {
		case unicode.In(r, accents):
		case isKnown(r):
			if separate && name.Len() > 0 {
				name.WriteByte('_')
			}
			separate = false
			name.WriteRune(r)
		default:
			separate = true
		}
	}
	return norm.NFC.String(name.String())
}

// accents are those of Latin, Greek and Cyrillic letters.
var accents = rangesOf(0x300, 0x36f)

// isKnown reports whether the names in a configuration can contain a character. The language of configurations knows
// the letters, marks and digits of Unicode 9.
func isKnown(r rune) bool {
	return r <= 0xffff && unicode.In(r, unicode.L, unicode.Mn, unicode.Mc, unicode.Nd) && !unicode.Is(unassignedRunes, r)
}

// unassignedRunes are characters that are in no name, or that were added after Unicode 9, with their neighbors. Those
// above U+FFFF are omitted, because they are rare in titles.
var unassignedRunes = rangesOf(
	0x560, 0x560, 0x588, 0x588, 0x5ef, 0x5ef, 0x7fd, 0x7fd, 0x860, 0x89f, 0x8b5, 0x8d3, 0x9fc, 0x9fe, 0xafa, 0xaff,
	0xb55, 0xb55, 0xc04, 0xc04, 0xc3c, 0xc3c, 0xc5c, 0xc5d, 0xcdc, 0xcdd, 0xd00, 0xd00, 0xd04, 0xd04, 0xd3b, 0xd3c,
	0xd81, 0xd81, 0xe86, 0xe86, 0xe89, 0xe89, 0xe8c, 0xe8c, 0xe8e, 0xe93, 0xe98, 0xe98, 0xea0, 0xea0, 0xea8, 0xea9,
	0xeac, 0xeac, 0xeba, 0xeba, 0x170d, 0x170d, 0x1715, 0x1715, 0x171f, 0x171f, 0x180f, 0x180f, 0x1878, 0x1878,
	0x1abf, 0x1aff, 0x1b4c, 0x1b4f, 0x1c89, 0x1c8a, 0x1c90, 0x1cbf, 0x1cf2, 0x1cff, 0x1df6, 0x1dff, 0x2c2f, 0x2c2f,
	0x2c5f, 0x2c5f, 0x2e2f, 0x2e2f, 0x312e, 0x312f, 0x31bb, 0x31bf, 0x4db6, 0x4dbf, 0x9fd6, 0x9fff, 0xa7af, 0xa7af,
	0xa7b8, 0xa7f6, 0xa82c, 0xa82c, 0xa8fe, 0xa8ff, 0xab66, 0xab6f,
)

// rangesOf returns a table of ranges, each of which has a first and a last character.
func rangesOf(bounds ...uint16) *unicode.RangeTable {
	table := &unicode.RangeTable{}
	for i := 0; i < len(bounds); i += 2 {
		table.R16 = append(table.R16, unicode.Range16{Lo: bounds[i], Hi: bounds[i+1], Stride: 1})
	}
	return table
}
