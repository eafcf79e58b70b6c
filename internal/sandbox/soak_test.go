// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

const (
	// soakVariable sets how long TestSoak runs, such as 10m.
	soakVariable = "SOAK"
	shortSoak    = 6 * time.Second

	// serverVariable makes a test binary a server. Its value is the path of the state
	// file.
	serverVariable = "SANDBOX_TEST_SERVER"

	memoryLine = "memory "
	maxMemory  = 48.0 // MiB, independent of the length of the test
)

// soaked is a server in its own process.
type soaked struct {
	command   *exec.Cmd
	questions io.WriteCloser // each line asks for the memory, and closing it stops the server
	memory    chan int
	ended     chan struct{} // closed when the output ends

	mu       sync.Mutex
	settings map[string]string
	last     string
	unclean  []string // lines of the log that are not printable ASCII
}

// soakServer is the server process. It calls [sandbox.Run] like main, and answers each
// line of its input with the number of bytes of memory in use.
func soakServer(path string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() {
		defer stop()
		for questions := bufio.NewScanner(os.Stdin); questions.Scan(); {
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Printf("%s%d\n", memoryLine, m.Sys-m.HeapReleased)
		}
	}()
	err := sandbox.Run(ctx, sandbox.ServerOptions{
		Address: "127.0.0.1:0", StateFile: path, NoLimits: true, Out: os.Stdout,
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// startSoaked starts the server and waits for its greeting.
func startSoaked(t *testing.T, path, temporary string) *soaked {
	t.Helper()
	s := &soaked{
		command: exec.CommandContext(t.Context(), os.Args[0]), memory: make(chan int, 1),
		ended: make(chan struct{}), settings: map[string]string{},
	}
	s.command.Env = append(os.Environ(), serverVariable+"="+path, "TMPDIR="+temporary, "TMP="+temporary)
	var err error
	if s.questions, err = s.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.command.Stderr = os.Stderr
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	greeted := make(chan struct{})
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if s.line(lines.Text()) {
				close(greeted)
			}
		}
	}()
	select {
	case <-greeted:
	case <-s.ended:
		t.Fatalf("the server ended: %s", s.last)
	}
	return s
}

// line records a line of the output. It returns true at the end of the greeting.
func (s *soaked) line(text string) (greeted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = text
	if name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "export "), "="); ok {
		if strings.HasPrefix(name, "ASSESS_") {
			s.settings[name] = value
		}
	}
	if pages, found := strings.CutPrefix(text, "Pages for people: "); found {
		s.settings["pages"] = pages
	}
	var memory int
	if n, _ := fmt.Sscanf(text, memoryLine+"%d", &memory); n == 1 {
		s.memory <- memory
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) && len(s.unclean) < 5 {
		s.unclean = append(s.unclean, text)
	}
	return strings.HasPrefix(text, "Press Ctrl-C")
}

// sample asks for the memory repeatedly. It returns the answers of each minute, or of
// the whole time if that is shorter.
func (s *soaked) sample(t *testing.T, duration time.Duration) (minutes [][]int) {
	t.Helper()
	began := time.Now()
	for time.Since(began) < duration {
		time.Sleep(time.Second / 2) // an answer takes a while, because it collects garbage
		if _, err := fmt.Fprintln(s.questions); err != nil {
			t.Fatal(err)
		}
		elapsed := min(time.Since(began), duration-1) // the last answer may be late
		if int(elapsed/time.Minute) == len(minutes) {
			minutes = append(minutes, nil)
		}
		select {
		case m := <-s.memory:
			minutes[len(minutes)-1] = append(minutes[len(minutes)-1], m)
		case <-s.ended:
			t.Fatalf("the server ended: %s", s.last)
		}
	}
	return minutes
}

// stop does what Ctrl-C does, and checks that the server ends immediately.
func (s *soaked) stop(t *testing.T) {
	t.Helper()
	began := time.Now()
	if err := s.command.Process.Signal(os.Interrupt); err != nil {
		_ = s.questions.Close() // Windows has no such signal
	}
	<-s.ended
	err := s.command.Wait()
	if took := time.Since(began); err != nil || s.last != "stopped" || took > 3*time.Second {
		t.Errorf("Ctrl-C took %v: %v, %q", took, err, s.last)
	}
}

// median returns the median of the memory, in MiB.
func median(memory []int) float64 {
	sorted := slices.Sorted(slices.Values(memory))
	return float64(sorted[len(sorted)/2]) / (1 << 20)
}

// TestSoak runs hostile clients against the server. Its memory stays small, and does
// not grow after the first minute.
func TestSoak(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: a soak takes real time")
	}
	duration := shortSoak
	if text := os.Getenv(soakVariable); text != "" {
		var err error
		if duration, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	directory, temporary := t.TempDir(), t.TempDir()
	path := filepath.Join(directory, "state.json")
	server := startSoaked(t, path, temporary)
	clients := startClients(t, server.settings)

	minutes := server.sample(t, duration)
	clients.wait(t)

	clients.stopping.Store(true) // from now on, the server may close connections
	server.stop(t)
	clients.stop(t)

	level := median(minutes[0][len(minutes[0])/2:]) // the server has warmed up
	for _, memory := range minutes {
		now := median(memory)
		t.Logf("%.1f MiB", now)
		if now > maxMemory || now > level*1.1 {
			t.Errorf("more than %v MiB, or more than %.1f MiB plus 10%%", maxMemory, level)
		}
	}
	if len(server.unclean) > 0 {
		t.Errorf("the log has control characters: %q", server.unclean)
	}
	for place, want := range map[string][]string{directory: {"state.json", "state.json.lock"}, temporary: nil} {
		var names []string
		entries, err := os.ReadDir(place)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("files left over: %q, want %q; %v", names, want, err)
		}
	}
}
