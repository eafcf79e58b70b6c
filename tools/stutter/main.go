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
	"bufio"
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
	"regexp"
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
	stops, runs, passed := 0, 0, 0
	for ctx.Err() == nil {
		rand.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
		r, err := p.once(ctx, "^("+strings.Join(tests[:min(atOnce, len(tests))], "|")+")$")
		if err != nil {
			return err
		}
		stops, passed = stops+r.stops, passed+r.passed
		if r.ended {
			runs++
		}
	}
	fmt.Printf("ok    %-34s %d stops, %d runs, %d tests passed\n", p.path, stops, runs, passed)
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

type result struct {
	stops, passed int
	ended         bool
}

// once runs the tests until they end or the context does, or until one fails.
func (p pkg) once(ctx context.Context, pattern string) (r result, err error) {
	command := exec.Command(p.binary, "-test.short", "-test.v", "-test.failfast", "-test.timeout=0", "-test.run="+pattern)
	command.Dir = p.dir
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // processes that a test starts are stopped too
	out, err := command.StdoutPipe()
	if err != nil {
		return r, err
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		return r, err
	}
	group := -command.Process.Pid
	output := make(chan []string, 1)
	failed := make(chan struct{})
	go func() {
		var all []string
		once := sync.OnceFunc(func() { close(failed) })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			line := lines.Text()
			if all = append(all, line); strings.HasPrefix(strings.TrimSpace(line), "--- FAIL: ") {
				once()
			}
		}
		output <- all
	}()
	ended := make(chan error, 1)
	lines := []string{}
	go func() { lines = <-output; ended <- command.Wait() }()
	for {
		_ = syscall.Kill(group, syscall.SIGSTOP)
		pause(ctx, longestStop)
		_ = syscall.Kill(group, syscall.SIGCONT)
		if rand.N(longRuns) == 0 {
			pause(ctx, longRun)
		} else {
			pause(ctx, shortRun)
		}
		r.stops++
		over := ctx.Err() != nil
		select {
		case err = <-ended:
			r.ended = true
		case <-failed:
			over = true // what failed is known after its parents ended
			select {
			case err = <-ended:
				r.ended = true
			case <-time.After(time.Second):
			}
		default:
		}
		if over && !r.ended {
			_ = syscall.Kill(group, syscall.SIGKILL)
			<-ended
		}
		if over || r.ended {
			break
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "--- PASS: ") {
			r.passed++
		}
	}
	select {
	case <-failed:
		return r, fmt.Errorf("FAIL  %s after %d stops of %s:\n%s", p.path, r.stops, pattern, failures(lines))
	default:
	}
	if r.ended && err != nil {
		return r, fmt.Errorf("FAIL  %s after %d stops of %s: %w\n%s\n%s", p.path, r.stops, pattern, err,
			strings.Join(lines[max(0, len(lines)-20):], "\n"), &stderr)
	}
	return r, nil
}

func pause(ctx context.Context, longest time.Duration) {
	select {
	case <-time.After(rand.N(longest)):
	case <-ctx.Done():
	}
}

var (
	marker  = regexp.MustCompile(`^=== [A-Z]+ +(\S+)`)
	verdict = regexp.MustCompile(`^ *--- FAIL: (\S+)`)
)

// failures returns what each failed test printed, and its name.
func failures(lines []string) string {
	var found []string
	printed, current := map[string][]string{}, ""
	for _, line := range lines {
		if m := marker.FindStringSubmatch(line); m != nil {
			current = m[1]
		} else if m := verdict.FindStringSubmatch(line); m != nil {
			found = append(append(found, strings.TrimSpace(line)), printed[m[1]]...)
		} else {
			printed[current] = append(printed[current], line)
		}
	}
	return strings.Join(found, "\n")
}
