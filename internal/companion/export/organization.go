// SPDX-License-Identifier: MPL-2.0

package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// organization is what the export has read from the service.
type organization struct {
	assessments   map[string]assessapi.Item
	idsByName     map[string]string // the assessments that the module "spreadsheet" finds, by name or by code
	positions     []positionContents
	titles        map[string]int            // how many positions have each title (positionContents.title)
	disabledTests map[assessmentTest]string // the titles of the skills tests that are not enabled
	options       optionItems               // read only for a spreadsheet
}

// assessmentTest identifies a test of an assessment. Another assessment may have the same test, enabled or not.
type assessmentTest struct{ assessment, test string }

// positionContents is a position with its position assessments.
type positionContents struct {
	assessapi.Item
	attached []assessapi.PositionAssessment
}

// title returns the title without the spaces around it, which the module "spreadsheet" ignores, or "".
func (p positionContents) title() string { return strings.TrimSpace(textOrEmpty(p.Name)) }

// readOrganization reads the assessments of the organization, and all positions with their position assessments. For
// each assessment whose tests a position uses, it also reads which tests are disabled. It does not read the lists of
// options. It returns errNoList if the service probably does not list the assessments of a position.
func readOrganization(ctx context.Context, service *run.Run, progress *cmdutil.Progress) (organization, error) {
	o := organization{
		assessments: map[string]assessapi.Item{}, titles: map[string]int{}, disabledTests: map[assessmentTest]string{},
	}
	assessments, err := service.Lists.Assessments(ctx)
	if err != nil {
		return o, err
	}
	var codes []assessapi.Label
	for _, a := range assessments {
		o.assessments[a.ID] = a
		codes = append(codes, assessapi.Label{ID: a.ID, Name: textOrEmpty(a.Code)})
	}
	o.idsByName, _ = assessapi.ByName(codes)
	names, _ := assessapi.ByName(assessapi.Labels(assessments))
	maps.Copy(o.idsByName, names) // the module prefers names
	positions, err := service.Lists.Positions(ctx)
	if err != nil {
		return o, err
	}
	withTests := map[string]bool{} // IDs of assessments whose tests positions use
	for _, p := range positions {
		attached, err := readAttached(ctx, service, p.ID)
		if err != nil {
			return o, err
		}
		progress.Count(len(positions), "positions read")
		contents := positionContents{p, attached}
		o.positions = append(o.positions, contents)
		o.titles[contents.title()]++
		for _, a := range attached {
			if len(a.Metadata.Tests.OrZero()) > 0 {
				withTests[a.AssessmentID.OrZero()] = true
			}
		}
	}
	return o, o.readDisabledTests(ctx, service, withTests)
}

// readDisabledTests adds to o.disabledTests the tests that are not enabled. assessments are the IDs of the assessments
// whose tests it reads. If the service does not offer a list, the report lacks the notes about its tests.
func (o organization) readDisabledTests(ctx context.Context, service *run.Run, assessments map[string]bool) error {
	for id := range assessments {
		tests, err := service.Lists.SkillsTests(ctx, id, false)
		if err != nil && !isNotListed(err) {
			return err
		}
		for _, t := range tests {
			o.disabledTests[assessmentTest{id, t.ID}] = textOrEmpty(t.Name)
		}
	}
	return nil
}

func textOrEmpty(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// exported is a position assessment with its address.
type exported struct {
	assessapi.PositionAssessment
	position  string   // the ID
	title     string   // of the position (positionContents.title)
	locale    string   // of the position, or ""
	label     string   // the title, or the ID, or both if several positions have this title
	name      string   // of the assessment
	address   string   // the name of the resource, or the key of the row
	notes     []string // what deserves attention
	duplicate bool     // whether the state or an earlier element has the same assessment of the position
}

// unmanaged returns the position assessments that are not in the state, in the order of the positions, each with an
// address and with notes. If the position has the same assessment already, in the state or in an earlier element, the
// element is a duplicate, and a note says so.
func (o organization) unmanaged(state managed) (all []exported) {
	taken := maps.Clone(state.names)
	for _, p := range o.positions {
		first := state.assessments(p) // by assessment ID: a text such as "in the state", for a note on duplicates
		for _, a := range p.attached {
			if state.has(p.ID, a.ID) {
				continue
			}
			e, id := o.exported(p, a, taken), a.AssessmentID.OrZero()
			e.duplicate = first[id] != ""
			e.notes = o.notes(a, first[id])
			if !e.duplicate {
				first[id] = "as " + e.address
			}
			all = append(all, e)
		}
	}
	return all
}

// exported returns a position assessment with an unused address, and adds the address to taken. The caller sets
// duplicate and notes.
func (o organization) exported(p positionContents, a assessapi.PositionAssessment, taken map[string]bool) exported {
	id := a.AssessmentID.OrZero()
	code := textOrEmpty(o.assessments[id].Code)
	name := cmp.Or(textOrEmpty(o.assessments[id].Name), code, id)
	title := p.title()
	label := cmp.Or(title, p.ID)
	address := takeAddress(identifier(label, p.ID, cmp.Or(code, name)), taken)
	if title != "" && o.titles[title] > 1 {
		label += " (" + p.ID + ")"
	}
	return exported{
		PositionAssessment: a, position: p.ID, title: title, locale: textOrEmpty(p.Locale), label: label, name: name,
		address: address,
	}
}

// takeAddress returns name, or name with a number if name is taken, and adds the result to taken. An address looks like
// backend_engineer_london_qrt.
func takeAddress(name string, taken map[string]bool) string {
	address := name
	for n := 2; taken[address]; n++ {
		address = fmt.Sprintf("%s_%d", name, n)
	}
	taken[address] = true
	return address
}

// notes returns what a person must know about a position assessment: that it is a duplicate, which of its tests are
// disabled, and that a supervisor has completed its profile. If it is a duplicate, first says where the other position
// assessment is, such as "in the state". Otherwise, first is "".
func (o organization) notes(a assessapi.PositionAssessment, first string) (notes []string) {
	if first != "" {
		notes = append(notes, "The position has this assessment already, "+first+". Results do not tell the two apart, so "+
			"keep only one of them.")
	}
	for _, test := range a.Metadata.Tests.OrZero() {
		if title, disabled := o.disabledTests[assessmentTest{a.AssessmentID.OrZero(), test}]; disabled {
			notes = append(notes, fmt.Sprintf("The test %s is no longer enabled.", assessapi.Label{ID: test, Name: title}))
		}
	}
	if a.Metadata.ProfileStatus.OrZero() == assessapi.SupervisorCompleted {
		notes = append(notes, "A supervisor has completed its profile, so no profile is written. Removing the assessment "+
			"deletes that work.")
	}
	return notes
}

// report prints how many position assessments the file contains, the notes of all that the state does not manage, and
// what to do with the file. The parameter written contains those in the file. If it is empty, there is no file.
func (o organization) report(options Options, all, written []exported) error {
	positions := map[string]bool{} // of what was written
	for _, e := range written {
		positions[e.position] = true
	}
	var text strings.Builder
	if len(written) == 0 {
		text.WriteString("No file was written, because none of these position assessments can have a row:\n")
	} else {
		fmt.Fprintf(&text, "Position assessments in %s: %d, on %d of %d positions.\n",
			options.File, len(written), len(positions), len(o.positions))
	}
	for _, e := range all {
		if len(e.notes) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n%s on %s (%s):\n", oneLine(e.name), oneLine(e.label), e.address)
		for _, note := range e.notes {
			fmt.Fprintf(&text, "  %s\n", oneLine(note))
		}
	}
	if len(written) > 0 {
		text.WriteString("\n" + o.nextSteps(options) + "\n")
	}
	_, err := io.WriteString(options.Out, text.String())
	return err
}

// nextSteps says what to do with the file. If the service shows no packages, benchmark or tests (assumption A22), the
// user must add these blocks to the file, so the plan updates what it imports.
func (o organization) nextSteps(options Options) string {
	first, last := "", "delete the import blocks"
	if options.Format == "csv" {
		last = "delete " + importsName
	}
	if options.Format == "csv" && options.State != "" { // the file lacks the rows that the state manages
		first = "copy the rows into your spreadsheet and " + importsName + " beside your configuration. Then "
	}
	if !o.showsBlocks() {
		return "The service shows no packages, benchmark or tests of any position assessment. Next, " + first +
			"add those that your positions have. Then plan, and apply only if the plan changes nothing but these " +
			"blocks. Then " + last + "."
	}
	return "Next, " + first + "plan and apply. This imports what the file contains, and changes nothing in the " +
		"service. Then " + last + "."
}
