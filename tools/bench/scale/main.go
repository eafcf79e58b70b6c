// SPDX-License-Identifier: MPL-2.0

// Command scale measures what a plan and an apply of many position assessments
// cost the provider: wall time, the provider's CPU and its peak memory, each
// walk in a provider process of its own, against an embedded service in another
// process, with the limits of both lifted. It prints a table in Markdown.
//
//	scale -provider PATH -cli PATH [SIZES ...]
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// benchmarks are what each position gets, an assessment each.
var benchmarks = []struct{ assessment, benchmark string }{
	{"asm-lumen", "bmk-lumen-engineers-en-gb"},
	{"asm-tideline", "bmk-tideline-customer-service-en-gb"},
	{"asm-lattice", "bmk-lattice-graduates-en-gb"},
	{"asm-tally", "bmk-tally-finance-en-gb"},
	{"asm-margin", "bmk-margin-customer-service-en-gb"},
}

// configuration counts instances: with for_each, CLIs evaluate the whole map
// once more for each of them.
func configuration(positions int) string {
	var b strings.Builder
	for _, kind := range benchmarks {
		fmt.Fprintf(&b, `resource "assess_position_assessment" %q {
  count         = %d
  position_id   = format("pos-%%05d", count.index)
  assessment_id = %[1]q
  benchmark { id = %[3]q }
}
`, kind.assessment, positions, kind.benchmark)
	}
	return b.String()
}

func main() {
	if os.Getenv(realProvider) != "" {
		if err := standIn(); err != nil {
			log.Fatal(err)
		}
		return
	}
	provider := flag.String("provider", "", "the provider's binary")
	cli := flag.String("cli", "", "terraform or tofu")
	serve := flag.Int("serve", 0, "serve an estate of so many positions (used by this command itself)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *serve > 0 {
		if err := serveEstate(ctx, *serve); err != nil {
			log.Fatal(err)
		}
		return
	}
	sizes := flag.Args()
	if len(sizes) == 0 {
		sizes = []string{"1000", "5000", "10000"}
	}
	fmt.Println("| resources | walk | requests | wall | provider's CPU | provider's peak memory | CPU, part of the " +
		"first size's |")
	fmt.Println("|---:|---|---:|---:|---:|---:|---:|")
	first := map[string]float64{}
	for _, size := range sizes {
		n, err := strconv.Atoi(size)
		if err != nil {
			log.Fatal(err)
		}
		if err := measure(ctx, *provider, *cli, n, first); err != nil {
			log.Fatal(err)
		}
	}
}

// measure plans, applies and plans again.
func measure(ctx context.Context, provider, cli string, resources int, first map[string]float64) error {
	dir, err := os.MkdirTemp("", "scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	positions := resources / len(benchmarks)
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(configuration(positions)), 0o600); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Symlink(self, filepath.Join(dir, "terraform-provider-assess")); err != nil {
		return err
	}
	overrides := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n    %q = %q\n  }\n  direct {}\n}\n",
		"registry.terraform.io/hashicorp/assess", dir, "registry.opentofu.org/hashicorp/assess", dir)
	if err := os.WriteFile(filepath.Join(dir, "cli.tfrc"), []byte(overrides), 0o600); err != nil {
		return err
	}
	service, address, err := start(
		exec.CommandContext(ctx, self, "-serve", strconv.Itoa(positions)),
		regexp.MustCompile(`(http://\S+)`),
	)
	if err != nil {
		return err
	}
	defer finish(service)
	for _, walk := range []struct {
		name string
		args []string
	}{
		{"first plan", []string{"plan", "-out=saved"}},
		{"its apply", []string{"apply", "saved"}},
		{"plan without changes", []string{"plan"}},
	} {
		before, err := requests(ctx, address)
		if err != nil {
			return err
		}
		run := exec.CommandContext(ctx, cli, append([]string{walk.args[0], "-input=false", "-no-color"}, walk.args[1:]...)...)
		run.Dir = dir
		run.Env = append(
			os.Environ(),
			"TF_CLI_CONFIG_FILE="+filepath.Join(dir, "cli.tfrc"),
			"XDG_CACHE_HOME="+dir,
			"ASSESS_UNTHROTTLED=1",
			"ASSESS_BASE_URL="+address+"/v1",
			"ASSESS_CLIENT_ID="+sandbox.ClientID,
			"ASSESS_API_KEY="+sandbox.APIKey,
			realProvider+"="+provider,
			usageFile+"="+filepath.Join(dir, "usage"),
		)
		_ = os.Remove(filepath.Join(dir, "usage"))
		begin := time.Now()
		out, err := run.CombinedOutput()
		wall := time.Since(begin)
		if err != nil {
			return fmt.Errorf("%s: %w\n%.2000s", walk.name, err, out)
		}
		cpu, peak, err := readUsage(filepath.Join(dir, "usage"))
		if err != nil {
			return err
		}
		after, err := requests(ctx, address)
		if err != nil {
			return err
		}
		if first[walk.name] == 0 {
			first[walk.name] = cpu.Seconds()
		}
		fmt.Printf("| %d | %s | %d | %.1f s | %.1f s | %d MB | %.1f |\n", resources, walk.name, after-before,
			wall.Seconds(), cpu.Seconds(), peak>>20, cpu.Seconds()/first[walk.name])
	}
	return nil
}

// start starts a process and waits until it has printed what the pattern finds.
func start(cmd *exec.Cmd, pattern *regexp.Regexp) (*exec.Cmd, string, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := pattern.FindStringSubmatch(lines.Text()); found != nil {
			go func() { // keep the pipe empty
				for lines.Scan() {
					continue
				}
			}()
			return cmd, found[1], nil
		}
	}
	return nil, "", fmt.Errorf("%s ended without saying %s", cmd.Path, pattern)
}

// finish ends a process.
func finish(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(os.Interrupt)
	done := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	defer done.Stop()
	_ = cmd.Wait()
}

// The CLI starts this command under the provider's name. It then runs the real
// provider, and notes what that has used.
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
	_, writeErr := fmt.Fprintln(file, (state.UserTime() + state.SystemTime()).Nanoseconds(), peak(state))
	return errors.Join(writeErr, file.Close())
}

// readUsage sums the CPU of the provider's processes of one walk (the CLI
// starts one for the schema as well) and returns the largest one's memory.
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

// peak is the largest resident size, in bytes.
func peak(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10 // Linux counts in KiB
	}
	return 0
}

// serveEstate serves positions that nothing is attached to.
func serveEstate(ctx context.Context, positions int) error {
	service, err := sandbox.New(sandbox.Options{NoLimits: true, Seed: func() *sandbox.State {
		st := sandbox.Demo()
		st.Positions = nil
		for n := range positions {
			st.Positions = append(
				st.Positions,
				sandbox.Position{ID: fmt.Sprintf("pos-%05d", n), Title: fmt.Sprintf("Position %d", n), Locale: "en-GB"},
			)
		}
		return st
	}})
	if err != nil {
		return err
	}
	var count atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		service.ServeHTTP(w, r)
	})
	mux.HandleFunc("/requests", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, count.Load()) })
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func requests(ctx context.Context, address string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/requests", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var n int
	_, err = fmt.Fscan(resp.Body, &n)
	return n, err
}
