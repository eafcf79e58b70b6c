// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"io"
	"os"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// shownComment matches the comment on a pull request in examples/gitops/README.md, up to the messages below its table.
var shownComment = regexp.MustCompile(`(?s)<!-- later-change\.md: [^>]+ -->\n(.*?)\nWarning`)

const commentStyle = `<!DOCTYPE html><meta charset="utf-8"><style>
body { margin: 14px; font: 15px/1.5 "Liberation Sans", sans-serif; color: #1f2328; background: #fff }
article { border: 1px solid #d1d9e0; border-radius: 6px; padding: 0 16px 12px }
header { margin: 0 -16px; padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; color: #59636e }
header b { color: #1f2328 }
h3 { font-size: 19px; margin: 16px 0 10px }
table { border-collapse: collapse }
th, td { border: 1px solid #d1d9e0; padding: 6px 12px; text-align: left; vertical-align: top }
code { font: 13px "DejaVu Sans Mono", monospace; background: #eff1f3; border-radius: 6px; padding: 2px 5px }
</style><article><header><b>github-actions</b> commented</header>`

// commentPage writes the comment of a README as a web page, which tools/pictures.sh photographs.
func commentPage(readme string, out io.Writer) error {
	source, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	comment := shownComment.FindSubmatch(source)
	if comment == nil {
		return errors.New(readme + " shows no comment")
	}
	if _, err := io.WriteString(out, commentStyle); err != nil {
		return err
	}
	converter := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	return converter.Convert(comment[1], out)
}
