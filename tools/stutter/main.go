// SPDX-License-Identifier: MPL-2.0

//go:build unix

// Command stutter finds tests whose verdict depends on real time. It runs the tests of packages, and stops
// and continues each process again and again, as a busy machine does.
//
//	go -C tools/stutter run . [-for 1m] [-run REGEXP] PACKAGE...
//
// The packages are relative to the root of the repository. All of them run at the same time, because they
// are stopped most of the time. Each process runs a few tests, chosen at random, so that in the end all had their
// turn. It fails if a test fails, and names it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The longest times for which a process is stopped, and for which it then runs. Some runs are longer, so that
// tests that compute much end, too.
const (
	longestStop = 300 * time.Millisecond
	shortRun    = 4 * time.Millisecond
	longRun     = 100 * time.Millisecond
	longRuns    = 10 // one in so many
)

// atOnce is how many tests a process runs.
const atOnce = 4

func main() {
	length := flag.Duration("for", time.Minute, "how long the tests of a package run, again and again")
	pattern := flag.String("run", ".", "the tests to run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := all(ctx, *length, *pattern, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func all(ctx context.Context, length time.Duration, pattern string, packages []string) error {
	scratch, err := os.MkdirTemp("", "stutter-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	errs := make([]error, len(packages))
	var wg sync.WaitGroup
	for i, path := range packages {
		p := pkg{path: path, dir: filepath.Join("../..", path), binary: filepath.Join(scratch, fmt.Sprint(i))}
		if err := p.compile(ctx); err != nil {
			return err
		}
		wg.Go(func() { errs[i] = p.test(ctx, length, pattern) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

type pkg struct{ path, dir, binary string }

func (p pkg) compile(ctx context.Context) error {
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-o", p.binary, ".")
	build.Dir = p.dir
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", p.path, err, out)
	}
	return nil
}

// test runs the tests, again if they end before the time is over.
func (p pkg) test(ctx context.Context, length time.Duration, pattern string) error {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	tests, err := p.list(ctx, pattern)
	if err != nil {
		return err
	}
	stops, runs := 0, 0
	for ; ctx.Err() == nil; runs++ {
		rand.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
		few := "^(" + strings.Join(tests[:min(atOnce, len(tests))], "|") + ")$"
		n, out, err := p.once(ctx, few)
		stops += n
		if err != nil {
			return fmt.Errorf("FAIL  %s after %d stops of %s: %w\n%s", p.path, n, few, err, out)
		}
	}
	fmt.Printf("ok    %-34s %d stops, %d runs\n", p.path, stops, runs)
	return nil
}

// list returns the names of the tests.
func (p pkg) list(ctx context.Context, pattern string) ([]string, error) {
	command := exec.CommandContext(ctx, p.binary, "-test.run=^$", "-test.list="+pattern)
	command.Dir = p.dir
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", p.path, err, out)
	}
	tests := strings.Fields(string(out))
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s has no tests that match %s", p.path, pattern)
	}
	return tests, nil
}

// once runs the tests until they end or the context does. It returns an error if one of them failed, with what they
// printed.
func (p pkg) once(ctx context.Context, pattern string) (stops int, out string, err error) {
	var printed bytes.Buffer
	command := exec.Command(p.binary, "-test.short", "-test.failfast", "-test.timeout=0", "-test.run="+pattern)
	command.Dir, command.Stdout, command.Stderr = p.dir, &printed, &printed
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // processes that a test starts are stopped too
	if err := command.Start(); err != nil {
		return 0, "", err
	}
	group := -command.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		_ = syscall.Kill(group, syscall.SIGSTOP)
		pause(ctx, longestStop)
		_ = syscall.Kill(group, syscall.SIGCONT)
		longest := shortRun
		if rand.N(longRuns) == 0 {
			longest = longRun
		}
		pause(ctx, longest)
		stops++
		select {
		case err := <-ended:
			return stops, printed.String(), err
		default:
		}
		if ctx.Err() != nil {
			_ = syscall.Kill(group, syscall.SIGKILL)
			err := <-ended // because it was killed
			if out = printed.String(); !strings.Contains(out, "--- FAIL: ") {
				err = nil
			}
			return stops, out, err
		}
	}
}

func pause(ctx context.Context, longest time.Duration) {
	select {
	case <-time.After(rand.N(longest)):
	case <-ctx.Done():
	}
}
