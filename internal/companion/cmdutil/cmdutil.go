// SPDX-License-Identifier: MPL-2.0

// Package cmdutil is what the commands of the companion share: streams, the choice of the service, exit codes and
// progress.
package cmdutil

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// WrongUse is the exit code for wrong flags and arguments.
const WrongUse = 2

// Factory provides what each command needs from the process.
type Factory struct {
	Version     string
	Out, ErrOut io.Writer
	Terminal    bool                // whether ErrOut is a terminal, on which one line shows the progress
	Getenv      func(string) string // reads an environment variable
}

// NewFactory returns the factory of the running process.
func NewFactory(version string) *Factory {
	return &Factory{
		Version: version, Out: os.Stdout, ErrOut: os.Stderr, Getenv: os.Getenv,
		Terminal: isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb",
	}
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Service returns options for a command that reads the service of the environment variables.
func (f *Factory) Service() run.Options {
	return run.Options{Version: f.Version, Getenv: f.Getenv}
}

// AddServiceFlags adds --sandbox to a command that reads a service.
func AddServiceFlags(cmd *cobra.Command, o *run.Options) {
	cmd.Flags().StringVar(&o.StateFile, "sandbox", "", "read the sandbox in this `FILE`, created if it is missing")
}

// Complete lets shells complete the values of a flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	fixed := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(flag, fixed) // the flag exists
}

// ReadText reads a file that contains output of a CLI. It converts UTF-16, which PowerShell 5.1 writes, to UTF-8, and
// removes the byte order mark.
func ReadText(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, _, err = transform.Bytes(unicode.BOMOverride(transform.Nop), text)
	return text, err
}

// ExitError ends the program with an exit code. All other errors mean [WrongUse].
type ExitError struct {
	Code int
	Err  error // printed, unless it is nil
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// Exit returns an [ExitError] with an exit code and an error to print. It returns nil if code is 0 and err is nil.
func Exit(code int, err error) error {
	if code == 0 && err == nil {
		return nil
	}
	return &ExitError{Code: code, Err: err}
}

// Failed returns err with the exit code 1, or nil if err is nil.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{Code: 1, Err: err}
}

// Arguments returns a check that a command has exactly one argument for each name, such as "DIR".
func Arguments(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s is missing: %s", names[len(args)], cmd.UseLine())
		case len(args) > len(names):
			return fmt.Errorf("%q is one argument too many: %s", args[len(names)], cmd.UseLine())
		}
		return nil
	}
}
