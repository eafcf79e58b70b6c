// SPDX-License-Identifier: MPL-2.0

package export

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// addressedAssessment is a position assessment with its address.
type addressedAssessment struct {
	assessapi.PositionAssessment
	position string   // the ID
	title    string   // the title of the position
	name     string   // the name of the assessment
	address  string   // the name of the resource
	notes    []string // what deserves attention
	comments []string // what explains the block
}

// addressed returns the position assessments of all positions.
func (o organization) addressed() (all []addressedAssessment) {
	taken, titles := map[string]bool{}, map[string]int{}
	for _, p := range o.positions {
		titles[textOrEmpty(p.Name)]++
	}
	for _, p := range o.positions {
		title := cmp.Or(textOrEmpty(p.Name), p.ID)
		first := map[string]string{} // the address of the first position assessment, by its assessment
		for _, a := range p.attached {
			id := assessmentOf(a)
			assessment := o.assessments[id]
			code, name := textOrEmpty(assessment.Code), textOrEmpty(assessment.Name)
			b := addressedAssessment{
				PositionAssessment: a, position: p.ID, title: title, name: cmp.Or(name, code, id),
			}
			b.setAddress(identifier(title, p.ID, cmp.Or(code, b.name)), taken)
			if titles[title] > 1 {
				b.title += " (" + p.ID + ")"
			}
			b.remark(o, first[id])
			first[id] = cmp.Or(first[id], b.address)
			all = append(all, b)
		}
	}
	return all
}

// remark adds notes and comments. first is the address of an earlier position assessment that attaches the same
// assessment to the position, or "". Position and assessment are the natural key, so the second one is a duplicate,
// whatever its configuration.
func (b *addressedAssessment) remark(o organization, first string) {
	note := func(text string) { b.notes = append(b.notes, text) }
	if first != "" {
		note("The position has this assessment already, as " + first + ". Results do not tell the two apart, so keep only " +
			"one of them.")
	}
	if blocks := o.hidden[assessmentOf(b.PositionAssessment)]; len(blocks) > 0 {
		note("The service does not show " + strings.Join(blocks, " and ") + ". Add what it has.")
	}
	for _, test := range idsOf(b.Metadata.Tests) {
		if title, disabled := o.disabled[test]; disabled {
			note(fmt.Sprintf("The test %s (%s) is no longer enabled.", strconv.Quote(title), test))
		}
	}
	if status, _ := b.Metadata.ProfileStatus.Get(); status == assessapi.SupervisorCompleted {
		b.comments = append(b.comments, "A supervisor has completed its profile, so it has no block profile. Removing it "+
			"deletes that work.")
	}
}

// setAddress chooses the first address with this name that is not taken, such as backend_engineer_london_qrt.
func (b *addressedAssessment) setAddress(name string, taken map[string]bool) {
	b.address = name
	for n := 2; taken[b.address]; n++ {
		b.address = fmt.Sprintf("%s_%d", name, n)
		b.comments = []string{fmt.Sprintf("Its address ends with _%d, because %s is the address of another one.", n, name)}
	}
	taken[b.address] = true
}

func (b addressedAssessment) write(out *strings.Builder) {
	fmt.Fprintf(out, "# %s on %s\n", oneLine(b.name), oneLine(b.title))
	for _, note := range b.notes {
		fmt.Fprintf(out, "# Attention: %s\n", oneLine(note))
	}
	for _, comment := range b.comments {
		fmt.Fprintf(out, "# %s\n", oneLine(comment))
	}
	id := words.JoinImportID(b.position, b.ID)
	fmt.Fprintf(out, "import {\n  to = assess_position_assessment.%s\n  id = %s\n}\n\n", b.address, quoteHCL(id))
	fmt.Fprintf(out, "resource \"assess_position_assessment\" %q {\n  position_id   = %s\n  assessment_id = %s\n",
		b.address, quoteHCL(b.position), quoteHCL(assessmentOf(b.PositionAssessment)))
	m := b.Metadata
	ids := func(block string, ids []string) {
		if len(ids) > 0 {
			quoted := make([]string, len(ids))
			for i, id := range ids {
				quoted[i] = quoteHCL(id)
			}
			fmt.Fprintf(out, "\n  %s {\n    ids = [%s]\n  }\n", block, strings.Join(quoted, ", "))
		}
	}
	one := func(block string, member assessapi.Member[string]) {
		if id, ok := member.Get(); ok {
			fmt.Fprintf(out, "\n  %s {\n    id = %s\n  }\n", block, quoteHCL(id))
		}
	}
	ids("packages", idsOf(m.Packages))
	one("benchmark", m.Benchmark)
	one("profile", m.Profile)
	ids("tests", idsOf(m.Tests))
	out.WriteString("}\n\n")
}

// quoteHCL writes a string as a literal of a configuration, which knows fewer escapes than Go.
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

// oneLine writes a text that a comment can contain, and that cannot change the order of the code after it.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	}), " ")
}

// report says what was written, and what deserves attention.
func (o organization) report(out io.Writer, file string, all []addressedAssessment) error {
	positions := map[string]bool{} // with assessments
	for _, b := range all {
		positions[b.position] = true
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Position assessments in %s: %d, on %d of %d positions.\n",
		file, len(all), len(positions), len(o.positions))
	for _, b := range all {
		if len(b.notes) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n%s on %s (%s):\n", oneLine(b.name), oneLine(b.title), b.address)
		for _, note := range b.notes {
			fmt.Fprintf(&text, "  %s\n", oneLine(note))
		}
	}
	next := "Next, plan and apply. This imports everything, and changes nothing in the service."
	if len(o.hidden) > 0 {
		next = "Next, add the packages, benchmarks and tests that the service does not show. Then plan, and apply only if " +
			"the plan changes nothing."
	}
	text.WriteString("\n" + next + " Then delete the import blocks.\n")
	_, err := io.WriteString(out, text.String())
	return err
}
