// SPDX-License-Identifier: MPL-2.0

// Command terminal draws the output of a command as a picture of a terminal:
//
//	terraform plan | terminal -columns 96 -title TITLE >picture.svg
//
// It reads text with ANSI colors, and breaks lines that are longer than the terminal is
// wide. The picture has a dark background of its own, so that it is readable on light and
// on dark pages.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	title := flag.String("title", "", "what the picture shows, for people who cannot see it")
	columns := flag.Int("columns", 80, "width of the terminal in characters")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *title, *columns); err != nil {
		fmt.Fprintln(os.Stderr, "terminal:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, title string, columns int) error {
	if title == "" {
		return errors.New("set -title")
	}
	source, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	lines, err := parse(string(source), columns)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, draw(lines, title, columns))
	return err
}
