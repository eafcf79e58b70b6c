// SPDX-License-Identifier: MPL-2.0

package report

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"

	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
)

// index returns the index page: the sections of the positions with a page, in the order of r.reported, the names of the
// positions without candidates that have no page, and the positions that could not be read. If several sections have
// the same title, it adds the IDs.
func (r *reportCommand) index() report.Index {
	x := report.Index{Table: tableName, Report: report.Report{
		Title: r.Title, Options: r.Report, Earlier: r.earlier, Home: indexName,
	}}
	for _, p := range r.reported {
		switch {
		case r.hasPage(p):
			x.Sections, x.Pages = append(x.Sections, p.section), append(x.Pages, p.page())
		case r.isEmpty(p):
			x.Empty = append(x.Empty, p.name())
		default: // not read
			x.Missing = append(x.Missing, report.Missing{Name: p.name(), Reason: p.reason()})
		}
	}
	reading.Distinguish(x.Sections)
	return x
}

// Names of files.
const (
	indexName = "index.html"
	tableName = "results.csv"
)

// reportFiles returns the files of a report. The index is the last one, because it refers to the others.
func reportFiles(x report.Index) []files.Part {
	var parts []files.Part
	for i, r := range x.Parts() {
		parts = append(parts, files.Part{Name: x.Pages[i], Render: r.HTML})
	}
	return append(parts, files.Part{Name: tableName, Render: x.CSV}, files.Part{Name: indexName, Render: x.HTML})
}

// page returns the name of the position's page. The name depends only on the title and the ID, so the next run uses the
// same name.
func (p *reportedPosition) page() string {
	sum := sha256.Sum256([]byte(p.ID))
	return strings.TrimPrefix(fmt.Sprintf("%s-%x.html", fileName(p.name()), sum[:4]), "-")
}

var others = regexp.MustCompile(`[^a-z0-9]+`)

// longestName is the largest number of characters of a title in the name of a file.
const longestName = 60

// fileName returns a title in lowercase ASCII letters, digits and hyphens, which every file system, archive and address
// accepts. It returns "" if the title has no ASCII letters and digits.
func fileName(title string) string {
	// NFKD turns accents into separate characters, which are marks.
	plain := runes.Remove(runes.In(unicode.Mn)).String(norm.NFKD.String(strings.ToLower(title)))
	plain = strings.Trim(others.ReplaceAllString(plain, "-"), "-")
	return strings.Trim(plain[:min(len(plain), longestName)], "-")
}
