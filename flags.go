// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/comment"
	"github.com/assessascode/terraform-provider-assess/internal/results/folder"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// flagCommand is something that the program can do. A flag selects it, which accepts other flags.
type flagCommand struct {
	flag    string
	accepts []string
	run     func(context.Context, flagValues) error
	failed  int // exit code if run returns an error
}

// valueNames are the names of the values of flags. Flags that are not listed have none.
var valueNames = map[string]string{
	"sandbox": "ADDRESS", "sandbox-state": "FILE", "sandbox-limits": "on|off", "adopt": "FILE",
	"comment": "plan|apply|drift", "dir": "FOLDER", "run": "URL", "commit": "COMMIT", "limit": "BYTES",
	"compare": "REVIEWED.json NEW.json", "report": "FOLDER", "position": "TITLE|ID", "except": "TITLE|ID",
	"language": "LANGUAGE", "title": "TITLE",
}

// flagValues are the values of the flags.
type flagValues struct {
	debug, json, openAPI bool
	sandbox              sandbox.ServerOptions
	limits, adopt        string
	comment              comment.Options
	report               folder.Options
}

// chosenCommand returns the command that the flags select, or an error if they do not belong together.
func chosenCommand(all []flagCommand) (c flagCommand, err error) {
	c = all[0]
	flag.Visit(func(f *flag.Flag) {
		i := slices.IndexFunc(all, func(c flagCommand) bool { return c.flag == f.Name })
		switch {
		case i < 0:
		case c.flag != "":
			err = fmt.Errorf("-%s and -%s cannot be used together", c.flag, f.Name)
		default:
			c = all[i]
		}
	})
	flag.Visit(func(f *flag.Flag) {
		for _, owner := range all {
			switch {
			case !slices.Contains(owner.accepts, f.Name) || slices.Contains(c.accepts, f.Name) || err != nil:
			case owner.flag == "":
				err = fmt.Errorf("-%s and -%s cannot be used together", f.Name, c.flag)
			default:
				err = fmt.Errorf("-%s requires -%s", f.Name, owner.flag)
			}
		}
	})
	if err == nil && c.flag != "" {
		err = flagAsValue(c)
	}
	if err == nil && flag.NArg() > 0 && c.flag != "compare" {
		err = unknownArgument(c, flag.Arg(0))
	}
	return c, err
}

// flagAsValue refuses a flag in the place of the value of a command, such as the name of a folder, that was forgotten.
func flagAsValue(c flagCommand) error {
	value := flag.Lookup(c.flag).Value.String()
	if name := strings.TrimLeft(value, "-"); name != value && valueNames[c.flag] != "" {
		return fmt.Errorf("-%s requires %s, but %q follows it", c.flag, valueNames[c.flag], value)
	}
	return nil
}

func unknownArgument(c flagCommand, argument string) error {
	switch c.flag {
	case "":
		return fmt.Errorf("%q is not a flag: -help prints all flags", argument)
	case "report":
		return fmt.Errorf("-report does not accept %q: name each position with -position", argument)
	}
	return fmt.Errorf("-%s does not accept %q", c.flag, argument)
}
