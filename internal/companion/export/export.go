// SPDX-License-Identifier: MPL-2.0

// Package export is the command "assess export". It writes the configuration of what positions already have: for each
// position assessment, an import block and a resource block whose address says which assessment of which position it
// is. It sends only GET requests.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// Options configures [Write].
type Options struct {
	run.Options
	Format string // hcl
	File   string // to write, which must not exist
	// Out is where the result is written, and what deserves attention. Errors is where progress is written.
	Out, Errors io.Writer
	Terminal    bool // whether Errors is a terminal
}

// Write writes the configuration. It reads everything first, so an interrupted run writes nothing.
func Write(ctx context.Context, o Options) error {
	if o.File == "" {
		return errors.New("name a file, such as existing.tf")
	}
	file := files.File{Path: o.File}
	switch err := file.Check(); { // before many positions are read
	case errors.Is(err, files.ErrExists):
		return fmt.Errorf("the file %s already exists. Name a new file", o.File)
	case err != nil:
		return fmt.Errorf("could not write %s: %w", o.File, err)
	}
	if ending := filepath.Ext(o.File); ending != ".tf" && ending != ".tofu" {
		return fmt.Errorf("the CLI ignores %s, because its name does not end with .tf. Use %[1]s.tf", o.File)
	}
	progress := cmdutil.NewProgress(o.Errors, o.Terminal)
	defer progress.Close()
	o.Created = progress.Print
	cfg, err := run.Settings(ctx, o.Options, "export")
	if err != nil {
		return err
	}
	cfg.OnAttempt = progress.Attempt
	service, err := run.New(ctx, cfg)
	if err != nil {
		return errors.New(run.Explain("Could not read the service.", err))
	}
	organization, err := readOrganization(ctx, service, progress)
	for _, n := range service.Notices() {
		progress.Print("Note: " + run.Note(n))
	}
	if err != nil {
		return explain(err)
	}
	progress.Close()
	all := organization.addressed()
	var text strings.Builder
	for _, a := range all {
		a.write(&text)
	}
	// Through a draft, so that a run that is killed leaves no part of the file.
	err = file.Write(func(w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
	if err != nil {
		return fmt.Errorf("could not write %s: %w", o.File, err)
	}
	return organization.report(o.Out, o.File, all)
}

// errNoList means that the service does not list the assessments of a position (assumption A7).
var errNoList = errors.New("this service does not list the assessments of a position")

// explain words why the service could not be read.
func explain(err error) error {
	const what = "Could not read the assessments of the positions."
	if errors.Is(err, errNoList) {
		return errors.New(what + "\n\n" + run.Answer(err) + " This service does not list the assessments of a position.\n\n" +
			"To fix this: import each position assessment by its ID, with an import block " +
			"(POSITION_ID/POSITION_ASSESSMENT_ID). The website of the service shows the IDs.")
	}
	return errors.New(run.Explain(what, err))
}

// organization is what the service has.
type organization struct {
	assessments map[string]assessapi.Item
	disabled    map[string]string   // the titles of the skills tests that are not enabled, by id
	hidden      map[string][]string // the blocks that the service may hide, by the id of their assessment
	positions   []positionContents
}

// positionContents is a position with its position assessments.
type positionContents struct {
	assessapi.Item
	attached []assessapi.PositionAssessment
}

// readOrganization reads all positions. It reads the tests of an assessment only if a position uses some.
func readOrganization(ctx context.Context, service *run.Run, progress *cmdutil.Progress) (organization, error) {
	o := organization{assessments: map[string]assessapi.Item{}, disabled: map[string]string{}}
	assessments, err := service.Lists.Assessments(ctx)
	if err != nil {
		return o, err
	}
	for _, a := range assessments {
		o.assessments[a.ID] = a
	}
	positions, err := service.Lists.Positions(ctx)
	if err != nil {
		return o, err
	}
	tested := map[string]bool{}
	for _, p := range positions {
		attached, err := readAttached(ctx, service, p.ID)
		if err != nil {
			return o, err
		}
		progress.Count(len(positions), "positions read")
		o.positions = append(o.positions, positionContents{p, attached})
		for _, a := range attached {
			if assessment := assessmentOf(a); len(idsOf(a.Metadata.Tests)) > 0 && !tested[assessment] {
				tested[assessment] = true
				o.readDisabled(ctx, service, assessment)
			}
		}
	}
	o.hidden, err = hiddenBlocks(ctx, service, o.positions)
	return o, err
}

// readDisabled reads the tests that are not enabled. If the service does not list them, none is pointed out.
func (o *organization) readDisabled(ctx context.Context, service *run.Run, assessment string) {
	tests, err := service.Lists.SkillsTests(ctx, assessment, false)
	if err != nil {
		return
	}
	for _, t := range tests {
		o.disabled[t.ID] = textOrEmpty(t.Name)
	}
}

func textOrEmpty(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
