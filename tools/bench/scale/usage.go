// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// The CLI starts this command instead of the provider. It runs the real provider, and then
// writes the CPU time and memory that the provider has used.
const (
	realProvider = "SCALE_PROVIDER"
	usageFile    = "SCALE_USAGE"
)

func standIn() error {
	cmd := exec.Command(os.Getenv(realProvider), os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return err
	}
	file, openErr := os.OpenFile(os.Getenv(usageFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if openErr != nil {
		return openErr
	}
	state := cmd.ProcessState
	peak := state.SysUsage().(*syscall.Rusage).Maxrss << 10 // Linux counts in KiB
	_, writeErr := fmt.Fprintln(file, (state.UserTime() + state.SystemTime()).Nanoseconds(), peak)
	return errors.Join(writeErr, file.Close())
}

// readUsage returns the CPU time of all provider processes of a run, and the peak memory of
// the largest, in bytes. The CLI starts a second process to read the schema.
func readUsage(file string) (cpu time.Duration, largest int64, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		var nanoseconds, bytes int64
		if _, err := fmt.Sscan(line, &nanoseconds, &bytes); err != nil {
			return 0, 0, err
		}
		cpu += time.Duration(nanoseconds)
		largest = max(largest, bytes)
	}
	return cpu, largest, nil
}
