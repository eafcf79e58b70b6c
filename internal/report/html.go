// SPDX-License-Identifier: MPL-2.0

package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"sync"
)

var (
	//go:embed report.html.tmpl
	pageText string
	//go:embed index.html.tmpl
	indexText string
	//go:embed report.css
	styleText string
)

var htmlPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Parse(pageText + indexText + `{{define "style"}}` + styleText + `{{end}}`))
})

// HTML writes one self-contained page. The page contains no scripts and no fonts, and loads nothing. Its
// Content-Security-Policy blocks scripts, fonts and everything else that a page can load. The page follows the reader's
// choice of dark or light colors, fits a phone, and prints as one document with numbered pages. HTML returns only
// errors of w.
func (r Report) HTML(w io.Writer) error { return htmlPage().Execute(w, r.view()) }

// IsPage reports whether a file with this beginning is a page or an index that this package has written.
func IsPage(beginning []byte) bool {
	return bytes.Contains(beginning, []byte(`<meta name="generator" content="terraform-provider-assess">`))
}
