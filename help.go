// SPDX-License-Identifier: MPL-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// examples are arguments of commands that people type.
var examples = map[string]string{
	"report": "-report report", "adopt": "-adopt existing.tf", "check": "-check", "sandbox": "-sandbox 127.0.0.1:8377",
}

// printHelp prints what the program can do, if an argument asks for it: all commands, or those that the other arguments
// select. The package flag would take "-help" after "-report" for the name of a folder.
func printHelp(all []flagCommand, program string, args []string, out io.Writer) (asked bool) {
	named := map[string]bool{}
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") {
			named[name] = true
		}
	}
	if !named["help"] && !named["h"] {
		return false
	}
	selects := func(c flagCommand) bool { return c.flag != "" && named[c.flag] }
	if !slices.ContainsFunc(all, selects) {
		selects = func(flagCommand) bool { return true }
		fold(out, "", "This program is a provider, which Terraform and OpenTofu start themselves. These flags select what "+
			"else it can do. The guides explain them: https://registry.terraform.io/providers/assessascode/assess/latest/docs")
		_, _ = fmt.Fprintln(out)
	}
	for _, c := range all {
		if selects(c) {
			c.print(program, out)
		}
	}
	return true
}

// print prints the flags of a command.
func (c flagCommand) print(program string, out io.Writer) {
	for i, name := range append([]string{c.flag}, c.accepts...) {
		f := flag.Lookup(name)
		if f == nil {
			continue // the command without a flag
		}
		indent := strings.Repeat("  ", min(i, 1))
		_, _ = fmt.Fprintf(out, "%s%s\n", indent, strings.TrimSpace("-"+name+" "+valueNames[name]))
		fold(out, indent+"    ", strings.TrimPrefix(f.Usage, "with -"+c.flag+": "))
	}
	if example := examples[c.flag]; example != "" {
		_, _ = fmt.Fprintf(out, "  Example: %s %s\n", program, example)
	}
	_, _ = fmt.Fprintln(out)
}

// fold prints a text in lines of at most 100 characters.
func fold(out io.Writer, indent, text string) {
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) > 100 && line != indent {
			_, _ = fmt.Fprintln(out, strings.TrimRight(line, " "))
			line = indent
		}
		line += word + " "
	}
	_, _ = fmt.Fprintln(out, strings.TrimRight(line, " "))
}
