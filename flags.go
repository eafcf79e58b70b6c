// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// command is something that the program can do. A flag selects it.
type command struct {
	flag string
	// define defines the flags of the command, and returns a function that runs it after the flags are parsed.
	define func(*flag.FlagSet) runs
	failed int // exit code if the command returns an error
}

// runs executes a command. The exit code is valid if there is no error.
type runs func(context.Context) (exitCode int, err error)

// chosenCommand returns the command of the first flag that selects one, or else the first one.
func chosenCommand(all []command, args []string) command {
	for _, arg := range args {
		for _, c := range all {
			if c.flag != "" && flagName(arg) == c.flag {
				return c
			}
		}
	}
	return all[0]
}

// flagName returns the name of the flag that an argument sets. It is empty for other arguments.
func flagName(arg string) string {
	if !strings.HasPrefix(arg, "-") {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name
}

// check returns an error for arguments that the package flag would accept, or refuse without saying what is wrong: a
// flag as the value of another one, because its value was forgotten, and a flag of another command.
func (c command) check(all []command, flags *flag.FlagSet, args []string) error {
	for i := 0; i < len(args) && flagName(args[i]) != ""; i++ {
		name := flagName(args[i])
		f := flags.Lookup(name)
		if f == nil {
			if err := c.foreign(all, name); err != nil {
				return err
			}
			continue
		}
		if isSwitch, _ := f.Value.(interface{ IsBoolFlag() bool }); isSwitch != nil || strings.Contains(args[i], "=") {
			continue
		}
		if i++; i < len(args) && (flags.Lookup(flagName(args[i])) != nil || name == c.flag && flagName(args[i]) != "") {
			value, _ := flag.UnquoteUsage(f)
			return fmt.Errorf("-%s requires %s, but %q follows it", name, value, args[i])
		}
	}
	return nil
}

// foreign returns an error for a flag that only other commands have.
func (c command) foreign(all []command, name string) error {
	var owners []string
	for _, other := range all {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		other.define(flags)
		switch {
		case other.flag == "" || flags.Lookup(name) == nil:
		case other.flag == name:
			return fmt.Errorf("-%s and -%s cannot be used together", c.flag, name)
		default:
			owners = append(owners, "-"+other.flag)
		}
	}
	if len(owners) > 0 {
		return fmt.Errorf("-%s requires %s", name, strings.Join(owners, " or "))
	}
	return nil
}

// asksForHelp reports whether an argument asks for help. The package flag would take "-help" after "-report" for the
// name of a folder.
func asksForHelp(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return flagName(arg) == "help" || flagName(arg) == "h" })
}

// printHelp prints the flags of a command.
func (c command) printHelp(program string, out io.Writer) {
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(out)
	c.define(flags)
	if f := flags.Lookup(c.flag); f != nil {
		value, _ := flag.UnquoteUsage(f)
		program = strings.TrimSpace(program + " -" + c.flag + " " + value)
	}
	_, _ = fmt.Fprintf(out, "%s\n", program)
	flags.PrintDefaults()
	_, _ = fmt.Fprintln(out)
}
