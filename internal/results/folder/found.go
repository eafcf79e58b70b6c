// SPDX-License-Identifier: MPL-2.0

package folder

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
	"github.com/assessascode/terraform-provider-assess/internal/wholefile"
)

// status returns the status of the answer why the position could not be read. It returns 0 without an answer.
func (p *reportedPosition) status() int {
	var refused *assessapi.Error
	if errors.As(p.problem, &refused) {
		return refused.Status
	}
	return 0
}

// found are the positions of a run, in the order of the flags or of the service.
type found []*reportedPosition

// missing returns the positions that could not be read.
func (f found) missing() []*reportedPosition {
	return slices.DeleteFunc(slices.Clone(f), func(p *reportedPosition) bool { return p.read })
}

// empty returns the positions without candidates, which have no page.
func (f found) empty() (labels []assessapi.Label) {
	for _, p := range f {
		if p.read && !p.shown() {
			labels = append(labels, p.Label)
		}
	}
	return labels
}

// index returns the index over the positions. earlier are the pages of an earlier report.
func (f found) index(title string, options report.Options, earlier []string) report.Index {
	x := report.Index{Report: report.Report{Title: title, Options: options}, Table: tableName}
	var unread, empty []report.Section // unread ones keep their page of an earlier report
	var missing []int                  // the places of the unread ones in x.Missing
	for _, p := range f {
		switch {
		case p.shown():
			x.Sections = append(x.Sections, p.section)
		case p.read:
			empty = append(empty, report.Section{PositionID: p.ID, Title: p.name()})
		default:
			x.Missing = append(x.Missing, report.Missing{Name: p.name(), Reason: p.reason, Status: p.status()})
			if p.reason != report.Unknown { // which has no page, but perhaps the title of one
				unread = append(unread, report.Section{PositionID: p.ID, Title: p.name()})
				missing = append(missing, len(x.Missing)-1)
			}
		}
	}
	all := slices.Concat(x.Sections, unread, empty) // so that two with the same title keep their names in the next run
	reading.Distinguish(all)
	names := pageNames(all)
	copy(x.Sections, all)
	x.Pages = names[:len(x.Sections)]
	for _, e := range all[len(x.Sections)+len(unread):] {
		x.Empty = append(x.Empty, e.Title)
	}
	for i, name := range names[len(x.Sections):][:len(unread)] {
		m := &x.Missing[missing[i]]
		if m.Reason != report.Gone && slices.Contains(earlier, name) {
			m.Page = name
		}
	}
	return x
}

// Names of files.
const (
	indexName = "index.html"
	tableName = "results.csv"
)

// reportFiles returns the files of a report. The index is the last one, because it refers to the others.
func reportFiles(x report.Index) []wholefile.Part {
	var parts []wholefile.Part
	for i, r := range x.Parts() {
		parts = append(parts, wholefile.Part{Name: x.Pages[i], Render: r.HTML})
	}
	return append(parts, wholefile.Part{Name: tableName, Render: x.CSV}, wholefile.Part{Name: indexName, Render: x.HTML})
}

// pageNames returns the names of the pages. They depend only on titles and ids, so that they are the same
// in the next run.
func pageNames(sections []report.Section) []string {
	names, count := make([]string, len(sections)), map[string]int{"index": 1}
	for i, section := range sections {
		names[i] = fileName(section.Title)
		count[names[i]]++
	}
	for i, section := range sections {
		if count[names[i]] > 1 || names[i] == "" || reserved.MatchString(names[i]) || numbered.MatchString(names[i]) {
			sum := sha256.Sum256([]byte(section.PositionID))
			names[i] = strings.TrimPrefix(fmt.Sprintf("%s-%x", names[i], sum[:4]), "-")
		}
		names[i] += ".html"
	}
	return names
}

var (
	// Windows does not accept these names, whatever their ending.
	reserved = regexp.MustCompile(`^(con|prn|aux|nul|com\d|lpt\d)$`)
	others   = regexp.MustCompile(`[^a-z0-9]+`)
	// A title can look like a name that an id has made different.
	numbered = regexp.MustCompile(`(^|-)[0-9a-f]{8}$`)
)

// longestName is the largest number of characters of a title in the name of a file.
const longestName = 60

// fileName returns a title in the characters that every file system, archive and address accepts. It returns "" for
// a title in another script.
func fileName(title string) string {
	// Accents become characters of their own, and are dropped.
	plain := strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(title)))
	plain = strings.Trim(others.ReplaceAllString(plain, "-"), "-")
	return strings.Trim(plain[:min(len(plain), longestName)], "-")
}
