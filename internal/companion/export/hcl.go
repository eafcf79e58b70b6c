// SPDX-License-Identifier: MPL-2.0

package export

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// renderBlocks returns a file with an import block and a resource block for each position assessment.
func renderBlocks(all []exported) string {
	var text strings.Builder
	for _, e := range all {
		e.write(&text)
	}
	return text.String()
}

// write writes the blocks of a position assessment. A comment above them contains the names of the assessment and the
// position, and the notes.
func (e exported) write(out *strings.Builder) {
	fmt.Fprintf(out, "# %s on %s\n", oneLine(e.name), oneLine(e.label))
	for _, note := range e.notes {
		fmt.Fprintf(out, "# Attention: %s\n", oneLine(note))
	}
	fmt.Fprintf(out, "import {\n  to = assess_position_assessment.%s\n  id = %s\n}\n\n", e.address, e.importID())
	fmt.Fprintf(out, "resource \"assess_position_assessment\" %q {\n  position_id   = %s\n  assessment_id = %s\n",
		e.address, quoteHCL(e.position), quoteHCL(e.AssessmentID.OrZero()))
	for _, b := range blocks {
		var quoted []string
		for _, id := range e.Metadata.IDs(b.name) {
			quoted = append(quoted, quoteHCL(id))
		}
		if len(quoted) == 0 {
			continue
		}
		value := strings.Join(quoted, ", ")
		if b.argument == "ids" {
			value = "[" + value + "]"
		}
		fmt.Fprintf(out, "\n  %s {\n    %s = %s\n  }\n", b.name, b.argument, value)
	}
	out.WriteString("}\n\n")
}

// importID returns the import ID as an HCL string in quotes.
func (e exported) importID() string { return quoteHCL(messages.JoinImportID(e.position, e.ID)) }

// quoteHCL returns a text as an HCL string in quotes, without templates (${, %{). It does not use strconv.Quote,
// because HCL has fewer escapes than Go.
func quoteHCL(text string) string {
	var quoted strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			quoted.WriteByte('\\')
			quoted.WriteRune(r)
		case unicode.IsPrint(r):
			quoted.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&quoted, `\U%08x`, r)
		default:
			fmt.Fprintf(&quoted, `\u%04x`, r)
		}
	}
	return `"` + strings.NewReplacer("${", "$${", "%{", "%%{").Replace(quoted.String()) + `"`
}

// oneLine returns a text as one line for a comment. It removes characters that change the direction of text, because
// they could change how the code after the comment looks.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	}), " ")
}
