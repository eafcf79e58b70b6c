// SPDX-License-Identifier: MPL-2.0

package report

import (
	"os"
	"path/filepath"
	"regexp"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// readDate matches, in an index page, the date on which the results were read.
var readDate = regexp.MustCompile(`<time datetime="(\d{4}-\d{2}-\d{2})">`)

// readEarlier reads the table of an earlier report in a folder, and the date from its index. The date is empty if the
// index cannot be read or has no date.
func readEarlier(folder string) (*report.Earlier, error) {
	table, err := os.Open(filepath.Join(folder, tableName))
	if err != nil {
		return nil, err
	}
	defer func() { _ = table.Close() }() // only read
	earlier, err := report.ReadEarlier(table)
	if err != nil {
		return nil, err
	}
	index, _ := os.ReadFile(filepath.Join(folder, indexName)) // only for the date
	if found := readDate.FindSubmatch(index); found != nil {
		earlier.Date = string(found[1])
	}
	return earlier, nil
}
